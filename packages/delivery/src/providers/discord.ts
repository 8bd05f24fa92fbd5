import { z } from 'zod'
import { DeliveryError } from '../delivery-error.ts'
import { exchange, type HttpAnswer, spoken, statusFailure } from '../http.ts'
import { type ComposedMessage, defineProvider, type OutgoingMessage } from '../provider.ts'
import { namedUrlsField, parseNameTarget, urlNamed } from './named-urls.ts'

/** What a deployment may decide about Discord. */
export interface DiscordOptions {
  /** Where webhook URLs may point to. Default: Discord's own origins. */
  readonly origins?: readonly string[]
}

const discordOrigins = ['https://discord.com', 'https://discordapp.com', 'https://canary.discord.com', 'https://ptb.discord.com']
const webhookPath = /^\/api(?:\/v\d+)?\/webhooks\/\d+\/[\w-]+\/?$/
const headers = { 'content-type': 'application/json; charset=utf-8' }
/** `SUPPRESS_EMBEDS`: no previews of links. */
const suppressEmbeds = 4

/**
 * Makes the provider `discord`: messages to a channel through a webhook of it. A target is the name of a webhook URL
 * in the secrets. Source: https://docs.discord.com/developers/resources/webhook#execute-webhook
 */
export function createDiscord({ origins = discordOrigins }: DiscordOptions = {}) {
  const isWebhook = (url: URL) => origins.includes(url.origin) && webhookPath.test(url.pathname) && url.search === ''
  return defineProvider({
    id: 'discord',
    kind: 'chat',
    parseTarget: parseNameTarget,
    escape: escapeDiscord,
    limits: { textCharacters: 2000 },
    settings: z.strictObject({}),
    secrets: z.strictObject({
      urls: namedUrlsField(isWebhook, 'Give a webhook URL of Discord, as in https://discord.com/api/webhooks/…/…'),
    }),
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
      const answer = await exchange({ ...call, fetch: call.egress.fetch }, url, {})
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

/** Takes the meaning out of Discord's Markdown and mentions; a link stays one, since a backslash would break it. */
function escapeDiscord(value: string): string {
  return value.replace(/(https?:\/\/[^\s\\*~`|<>[\]()@]+)|[\\*_~`|<>#[\]()@]|^(?=[-+] )|^(?=\d+\. )/gm, (found, link?: string) =>
    link === undefined ? `\\${found}` : link,
  )
}

/** Source: https://docs.discord.com/developers/topics/opcodes-and-status-codes and .../rate-limits */
function failure(answer: HttpAnswer): DeliveryError {
  const { status, json } = answer
  const code = typeof json.code === 'number' && json.code !== 0 ? String(json.code) : `http_${status}`
  const detail = `Discord answered ${status}.`
  if (status === 404)
    return new DeliveryError({ kind: 'credential', code, detail: `${detail} The webhook was deleted.`, answer: spoken(answer) })
  const retryAfterMs = typeof json.retry_after === 'number' ? Math.ceil(json.retry_after * 1000) : answer.retryAfterMs
  return statusFailure({ ...answer, retryAfterMs }, detail, code)
}
