import type { FailureKind } from '@flowpost/domain'
import { describeDiscord } from '@flowpost/domain'
import { DeliveryError } from '../delivery-error.ts'
import { exchange, type HttpAnswer, spoken, statusFailure } from '../http.ts'
import { type ComposedMessage, defineProvider, type OutgoingMessage } from '../provider.ts'
import { urlNamed } from './named-urls.ts'

/** What a deployment may decide about Discord. */
export interface DiscordOptions {
  /** Where webhook URLs may point to. Default: Discord's own origins. */
  readonly origins?: readonly string[]
}

/** Discord's network refuses clients that do not name themselves so (https://docs.discord.com/developers/reference#user-agent). */
const userAgent = { 'user-agent': 'DiscordBot (Flowpost, 1)' }
const headers = { 'content-type': 'application/json; charset=utf-8', ...userAgent }
/** `SUPPRESS_EMBEDS`: no previews of links. */
const suppressEmbeds = 4

/**
 * Makes the provider `discord`: messages to a channel through a webhook of it. A target is the name of a webhook URL
 * in the secrets. Source: https://docs.discord.com/developers/resources/webhook#execute-webhook
 */
export function createDiscord({ origins }: DiscordOptions = {}) {
  return defineProvider({
    ...describeDiscord(origins),
    placeholder: {},
    compose,

    async send(call) {
      const url = new URL(urlNamed(call.secrets.urls, call.message.target))
      // Without it Discord answers before the message is stored, and its faults go unseen.
      url.searchParams.set('wait', 'true')
      const answer = await exchange({ ...call, fetch: call.egress.fetch }, url.href, {
        method: 'POST',
        headers,
        body: bodyOf(call.message),
      })
      if (answer.status !== 200) throw failure(answer)
      const { id } = answer.json
      return { providerMessageId: typeof id === 'string' ? id : null, response: JSON.stringify({ id, channel_id: answer.json.channel_id }) }
    },

    async check(call) {
      if (call.target === undefined) return []
      const url = urlNamed(call.secrets.urls, call.target)
      const answer = await exchange({ ...call, fetch: call.egress.fetch }, url, { headers: userAgent })
      if (answer.status === 200) return [{ name: 'webhook', ok: true, code: 'ok', detail: `The webhook is ${String(answer.json.name)}.` }]
      const { code, detail } = failure(answer)
      return [{ name: 'webhook', ok: false, code, detail }]
    },
  })
}

/** Messages to Discord, with the defaults of {@link createDiscord}. */
export const discord = createDiscord()

function bodyOf({ content }: OutgoingMessage): string {
  return JSON.stringify({ content: content.text, allowed_mentions: { parse: [] }, flags: suppressEmbeds })
}

function compose(message: OutgoingMessage): ComposedMessage {
  return {
    headers: [['Content-Type', headers['content-type']]],
    text: message.content.text,
    raw: bodyOf(message),
    envelope: { to: message.target },
  }
}

/** JSON error codes that mean something else than their HTTP status. */
const kindByCode: Readonly<Record<string, FailureKind>> = {
  // The channel: none any more, or a forum, where a webhook would need a thread.
  '10003': 'target',
  '220001': 'target',
  '220002': 'target',
  '220003': 'target',
  '220004': 'target',
  // Explicit content, automatic moderation, harmful links.
  '20009': 'content',
  '200000': 'content',
  '200001': 'content',
  '240000': 'content',
  // Refused by the network in front of Discord; and Discord overloaded.
  '40333': 'provider',
  '130000': 'provider',
}

/** Source: https://docs.discord.com/developers/topics/opcodes-and-status-codes and .../rate-limits */
function failure(answer: HttpAnswer): DeliveryError {
  const { status, json } = answer
  const code = typeof json.code === 'number' && json.code !== 0 ? String(json.code) : `http_${status}`
  const detail = `Discord answered ${status}.`
  const kind = kindByCode[code]
  if (kind !== undefined) return new DeliveryError({ kind, code, detail, answer: spoken(answer) })
  if (status === 404)
    return new DeliveryError({ kind: 'credential', code, detail: `${detail} The webhook was deleted.`, answer: spoken(answer) })
  const retryAfterMs = typeof json.retry_after === 'number' ? Math.ceil(json.retry_after * 1000) : answer.retryAfterMs
  return statusFailure({ ...answer, retryAfterMs }, detail, code)
}
