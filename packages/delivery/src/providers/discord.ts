import { describeDiscord, type FailureKind } from '@flowpost/domain'
import { DeliveryError } from '../delivery-error.ts'
import { createStatusError, formatResponse, type HttpResponse } from '../network/http.ts'
import { sendThroughEgress } from '../network/send-through-egress.ts'
import { type ComposedMessage, defineProvider, type OutgoingMessage } from '../provider.ts'
import { getNamedUrl } from './named-urls.ts'

/** The options with which a deployment configures the provider `discord`. */
export interface DiscordOptions {
  /** The origins that webhook URLs may have. @default Discord's own origins */
  readonly origins?: readonly string[]
}

/** Discord rejects requests without a user agent in this format (https://docs.discord.com/developers/reference#user-agent). */
const userAgent = { 'user-agent': 'DiscordBot (Flowpost, 1)' }
const headers = { 'content-type': 'application/json; charset=utf-8', ...userAgent }
/** The message flag `SUPPRESS_EMBEDS`. It turns off link previews. */
const suppressEmbeds = 4

/**
 * Creates the provider `discord`, which posts messages to a Discord channel through the channel's webhook. A target is the
 * name of a stored webhook URL. Source: https://docs.discord.com/developers/resources/webhook#execute-webhook
 */
export function createDiscord({ origins }: DiscordOptions = {}) {
  return defineProvider({
    ...describeDiscord(origins),
    placeholderSettings: {},
    compose,

    async send(context) {
      const url = new URL(getNamedUrl(context.secrets.urls, context.message.target))
      // Without `wait`, Discord responds before the message is stored and does not report errors. With it, the status 200 means that
      // the message is stored. If the rest of the response is lost, the message must not be sent again.
      url.searchParams.set('wait', 'true')
      const body = serializeMessage(context.message)
      const response = await sendThroughEgress(context, url.href, { method: 'POST', headers, body }, { statusSuffices: true })
      if (response.status !== 200) throw createError(response)
      const { id, channel_id } = response.json
      return { providerMessageId: typeof id === 'string' ? id : null, response: JSON.stringify({ id, channel_id }) }
    },

    async check(context) {
      if (context.target === undefined) return []
      const url = getNamedUrl(context.secrets.urls, context.target)
      const response = await sendThroughEgress(context, url, { headers: userAgent })
      if (response.status === 200) {
        return [{ name: 'webhook', ok: true, code: 'ok', detail: `The webhook is named ${String(response.json.name)}.` }]
      }
      const { code, detail } = createError(response)
      return [{ name: 'webhook', ok: false, code, detail }]
    },
  })
}

/** The provider `discord` with default options. */
export const discord = createDiscord()

function serializeMessage({ content }: OutgoingMessage): string {
  return JSON.stringify({ content: content.text, allowed_mentions: { parse: [] }, flags: suppressEmbeds })
}

function compose(message: OutgoingMessage): ComposedMessage {
  return {
    headers: [['Content-Type', headers['content-type']]],
    text: message.content.text,
    raw: serializeMessage(message),
    envelope: { to: message.target },
  }
}

/** The failure kinds for Discord error codes that would be misclassified by their HTTP status alone. */
const kindByCode: Readonly<Record<string, FailureKind>> = {
  // The channel does not exist, or it is a forum. In a forum, a webhook can post only to a thread named in the request.
  '10003': 'target',
  '220001': 'target',
  '220002': 'target',
  '220003': 'target',
  '220004': 'target',
  // The message has explicit content or harmful links, or automatic moderation blocked it.
  '20009': 'content',
  '200000': 'content',
  '200001': 'content',
  '240000': 'content',
  // 40333: Cloudflare, in front of Discord, rejected the request. 130000: Discord is overloaded.
  '40333': 'provider',
  '130000': 'provider',
}

/**
 * Creates the error for an unsuccessful response.
 * Sources: https://docs.discord.com/developers/topics/opcodes-and-status-codes,
 * https://docs.discord.com/developers/topics/rate-limits
 */
function createError(response: HttpResponse): DeliveryError {
  const { status, json } = response
  const code = typeof json.code === 'number' && json.code !== 0 ? String(json.code) : `http_${status}`
  const detail = `Discord returned ${status}.`
  const providerResponse = formatResponse(response)
  const retryAfterMs = typeof json.retry_after === 'number' ? Math.ceil(json.retry_after * 1000) : response.retryAfterMs
  const kind = kindByCode[code]
  if (kind !== undefined) {
    return new DeliveryError({ kind, code, detail, providerResponse, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })
  }
  if (status === 404) {
    return new DeliveryError({ kind: 'credential', code, detail: `${detail} The webhook was deleted.`, providerResponse })
  }
  return createStatusError({ ...response, retryAfterMs }, detail, code)
}
