import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'

const webhook = new Webhook(process.env.SIGNING_SECRET)

// A message can arrive more than once, always with the same id. Use a table with a unique key instead of a set.
const processed = new Set()

const receive = async (request, response) => {
  const body = await buffer(request) // The signature covers the exact bytes.
  try {
    const { data } = webhook.verify(body, request.headers)
    if (!processed.has(data.delivery_id)) console.log(`${data.target}: ${data.subject}: ${data.text}`)
    processed.add(data.delivery_id)
    response.writeHead(204).end()
  } catch (error) {
    response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end()
  }
}

createServer(receive).listen(process.env.PORT ?? 8080)
