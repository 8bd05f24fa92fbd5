import { Svix } from 'svix'

export const createCall = (baseUrl) => {
  const svix = new Svix('sk_bench', { serverUrl: baseUrl })
  return async () => {
    const { id } = await svix.message.create('app_1', { eventType: 'invoice.ready', payload: { text: 'Your invoice is ready.' } })
    return id
  }
}
