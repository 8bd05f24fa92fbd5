import Stripe from 'stripe'

/** Uses `node:http`, as Stripe does by default in Node. */
export const createCall = (baseUrl) => {
  const { protocol, hostname, port } = new URL(baseUrl)
  const stripe = new Stripe('sk_test_bench', { protocol: protocol.slice(0, -1), host: hostname, port })
  return async () => {
    const { id } = await stripe.customers.create({ name: 'Ada', email: 'ada@example.com', description: 'Your invoice is ready.' })
    return id
  }
}
