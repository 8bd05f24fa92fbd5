import { createFlowpost } from '@flowpost/client'

export const createCall = (baseUrl) => {
  const flowpost = createFlowpost({ baseUrl, apiKey: 'fp_bench' })
  return async () => {
    const { id } = await flowpost.notifications.send({ project_id: 'prj_1', subject: 'Invoice 42', message: 'Your invoice is ready.' })
    return id
  }
}
