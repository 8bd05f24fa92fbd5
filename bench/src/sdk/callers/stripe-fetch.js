import Stripe from 'stripe'

export const createCall = (baseUrl) => {
  const { protocol, hostname, port } = new URL(baseUrl)
  const httpClient = Stripe.createFetchHttpClient()
  const stripe = new Stripe('sk_test_bench', { httpClient, protocol: protocol.slice(0, -1), host: hostname, port })
  return async () => {
    const { id } = await stripe.customers.create({ name: 'Ada', email: 'ada@example.com', description: 'Your invoice is ready.' })
    return id
  }
}
