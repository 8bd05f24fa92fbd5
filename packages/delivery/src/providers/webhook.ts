import { webhookDescription } from '@flowpost/domain'
import { exchange, spoken, statusFailure } from '../http.ts'
import { type ComposedMessage, defineProvider, type OutgoingMessage } from '../provider.ts'
import { urlNamed } from './named-urls.ts'
import { signWebhook } from './standard-webhooks.ts'

const contentType = 'application/json; charset=utf-8'

/**
 * The provider `webhook`: a signed HTTPS request to a URL of the tenant's, by Standard Webhooks. A target is the name of
 * a URL in the secrets. The receiver checks the signature, and drops a repeat by its `webhook-id`, which is the id of
 * the delivery. Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const webhook = defineProvider({
  ...webhookDescription,
  placeholder: {},
  compose,

  async send(call) {
    const { message, secrets, clock } = call
    const body = bodyOf(message)
    const timestamp = Math.floor(clock.now() / 1000)
    const keys = [secrets.signing_secret, ...(secrets.previous_signing_secret === undefined ? [] : [secrets.previous_signing_secret])]
    const headers = {
      'content-type': contentType,
      'user-agent': 'Flowpost',
      'webhook-id': message.deliveryId,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signWebhook(keys, message.deliveryId, timestamp, body),
    }
    const answer = await exchange({ ...call, fetch: call.egress.fetch }, urlNamed(secrets.urls, message.target), {
      method: 'POST',
      headers,
      body,
    })
    if (answer.status < 200 || answer.status > 299) throw statusFailure(answer, `The receiver answered ${answer.status}.`)
    return { providerMessageId: null, response: spoken(answer), code: String(answer.status) }
  },

  /** Asks for nothing but headers: whatever the answer, the receiver is there. */
  async check(call) {
    if (call.target === undefined) return []
    const url = urlNamed(call.secrets.urls, call.target)
    const { status } = await exchange({ ...call, fetch: call.egress.fetch }, url, { method: 'HEAD', headers: { 'user-agent': 'Flowpost' } })
    return [{ name: 'reach', ok: true, code: 'ok', detail: `The receiver answers, with ${status} to HEAD.` }]
  },
})

function bodyOf({ deliveryId, createdAt, target, content }: OutgoingMessage): string {
  const data = { delivery_id: deliveryId, target, subject: content.subject, text: content.text }
  return JSON.stringify({ type: 'notification', timestamp: createdAt.toISOString(), data })
}

function compose(message: OutgoingMessage): ComposedMessage {
  const headers = [
    ['Content-Type', contentType],
    ['webhook-id', message.deliveryId],
  ] as const
  return { headers, text: message.content.text, raw: bodyOf(message), envelope: { to: message.target } }
}
