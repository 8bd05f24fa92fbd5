import { createHmac } from 'node:crypto'
import { signingSecretPrefix, webhookDescription } from '@flowpost/domain'
import { createStatusError, formatResponse } from '../network/http.ts'
import { sendThroughEgress } from '../network/send-through-egress.ts'
import { type ComposedMessage, defineProvider, type OutgoingMessage } from '../provider.ts'
import { getNamedUrl, needsOnlyStatus } from './named-urls.ts'

const contentType = 'application/json; charset=utf-8'

/**
 * The provider `webhook`, which sends signed HTTP requests to a tenant's URL, as specified by Standard Webhooks. A
 * target is the name of a stored URL. The receiver should verify the signature, and can detect duplicates with the
 * header `webhook-id`, which contains the delivery id. Source:
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const webhook = defineProvider({
  ...webhookDescription,
  placeholderSettings: {},
  failureScope: 'target',
  compose,

  async send(context) {
    const { message, secrets, clock } = context
    const body = serializeMessage(message)
    const timestamp = Math.floor(clock.now() / 1000)
    const keys = [secrets.signing_secret, ...(secrets.previous_signing_secret === undefined ? [] : [secrets.previous_signing_secret])]
    const headers = {
      'content-type': contentType,
      'user-agent': 'Flowpost',
      'webhook-id': message.deliveryId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signWebhook(keys, message.deliveryId, timestamp, body),
    }
    const url = getNamedUrl(secrets.urls, message.target)
    const response = await sendThroughEgress(context, url, { method: 'POST', headers, body }, needsOnlyStatus)
    if (response.status < 200 || response.status > 299) {
      throw createStatusError(response, `The webhook receiver returned ${response.status}.`)
    }
    return { providerMessageId: null, response: formatResponse(response), code: String(response.status) }
  },

  /** Sends a HEAD request. Any response, even an error status, shows that the receiver is reachable. */
  async check(context) {
    if (context.target === undefined) return []
    const url = getNamedUrl(context.secrets.urls, context.target)
    const { status } = await sendThroughEgress(context, url, { method: 'HEAD', headers: { 'user-agent': 'Flowpost' } })
    return [{ name: 'reach', ok: true, code: 'ok', detail: `The webhook receiver is reachable. It returned ${status} to a HEAD request.` }]
  },
})

/**
 * Signs a request once with each secret. A signature is `v1,` followed by the base64 HMAC-SHA256 of
 * `<id>.<timestamp>.<body>`. Source:
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 *
 * @param timestamp The current time, in seconds since the Unix epoch.
 * @returns The value for the header `webhook-signature`.
 */
export function signWebhook(secrets: readonly string[], id: string, timestamp: number, body: string): string {
  return secrets
    .map((secret) => createHmac('sha256', decodeSecret(secret)).update(`${id}.${timestamp}.${body}`).digest('base64'))
    .map((signature) => `v1,${signature}`)
    .join(' ')
}

function decodeSecret(secret: string): Buffer {
  return Buffer.from(secret.slice(signingSecretPrefix.length), 'base64')
}

function serializeMessage({ deliveryId, createdAt, target, content }: OutgoingMessage): string {
  const data = { delivery_id: deliveryId, target, subject: content.subject, text: content.text }
  return JSON.stringify({ type: 'notification', timestamp: createdAt.toISOString(), data })
}

function compose(message: OutgoingMessage): ComposedMessage {
  const headers = [
    ['Content-Type', contentType],
    ['webhook-id', message.deliveryId],
  ] as const
  return { headers, text: message.content.text, raw: serializeMessage(message), envelope: { to: message.target } }
}
