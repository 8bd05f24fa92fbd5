import { createServer } from 'node:http'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'

const webhook = new Webhook(process.env.SIGNING_SECRET)

// A message can arrive more than once, always with the same id. In production, use a table with a unique key.
const processed = new Set()

/** Reads the body, up to 5 MB. The signature covers its exact bytes. */
const readBody = async (request) => {
  const chunks = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes > 5_000_000) throw new Error('The body is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const receive = async (request, response) => {
  try {
    const { data } = webhook.verify(await readBody(request), request.headers)
    if (!processed.has(data.delivery_id)) console.log(`${data.target}: ${data.subject}: ${data.text}`)
    processed.add(data.delivery_id)
    response.writeHead(204).end()
  } catch (error) {
    response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end()
  }
}

createServer(receive).listen(process.env.PORT ?? 8080)
