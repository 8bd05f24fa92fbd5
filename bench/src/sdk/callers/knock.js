import Knock from '@knocklabs/node'

export const createCall = (baseUrl) => {
  const knock = new Knock({ baseURL: baseUrl, apiKey: 'sk_bench' })
  return async () => {
    const { workflow_run_id } = await knock.workflows.trigger('invoice-ready', {
      recipients: ['ada'],
      data: { text: 'Your invoice is ready.' },
    })
    return workflow_run_id
  }
}
