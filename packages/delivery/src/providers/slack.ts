import { slackDescription } from '@flowpost/domain'
import { DeliveryError } from '../delivery-error.ts'
import { apiBase } from '../fields.ts'
import { exchange, type HttpAnswer, type HttpCall, spoken, statusFailure } from '../http.ts'
import { type CheckResult, type ComposedMessage, defineProvider, type OutgoingMessage } from '../provider.ts'
import { slackVerdict } from './slack-errors.ts'

/** What a deployment may decide about Slack. */
export interface SlackOptions {
  /** Where the Web API is. Default: `https://slack.com/api/`. */
  readonly apiUrl?: string
}

const contentType = 'application/json; charset=utf-8'

/**
 * Makes the provider `slack`: messages to a channel with `chat.postMessage`.
 * Source: https://docs.slack.dev/reference/methods/chat.postMessage
 *
 * Slack has no documented key against repeats (`client_msg_id` is for its own clients), so a message
 * whose answer was lost may appear twice.
 *
 * @throws TypeError when the API URL is not HTTPS (HTTP is taken for loopback).
 */
export function createSlack({ apiUrl = 'https://slack.com/api/' }: SlackOptions = {}) {
  const base = apiBase(apiUrl)

  function ask(
    call: HttpCall & { readonly secrets: { readonly token: string } },
    method: string,
    body: string | URLSearchParams,
  ): Promise<HttpAnswer> {
    const authorization = `Bearer ${call.secrets.token}`
    const headers = typeof body === 'string' ? { authorization, 'content-type': contentType } : { authorization }
    return exchange(call, new URL(method, base).href, { method: 'POST', headers, body })
  }

  return defineProvider({
    ...slackDescription,
    placeholder: {},
    compose,

    async send(call) {
      const answer = await ask(call, 'chat.postMessage', bodyOf(call.message))
      if (answer.json.ok !== true) throw failure(answer)
      const { channel, ts, warning } = answer.json
      return { providerMessageId: typeof ts === 'string' ? ts : null, response: JSON.stringify({ ok: true, channel, ts, warning }) }
    },

    async check(call) {
      const identity = await ask(call, 'auth.test', new URLSearchParams())
      if (identity.json.ok !== true) return [finding('authenticate', failure(identity))]
      const authenticated = {
        name: 'authenticate',
        ok: true,
        code: 'ok',
        detail: `The token is that of ${String(identity.json.user)} in ${String(identity.json.team)}.`,
      }
      const scopes = (identity.headers.get('x-oauth-scopes') ?? '').split(/\s*,\s*/).filter((scope) => scope !== '')
      const posting = checkScopes(scopes)
      if (call.target === undefined) return [authenticated, ...posting]
      const info = await ask(call, 'conversations.info', new URLSearchParams({ channel: call.target }))
      return [authenticated, ...posting, info.json.ok === true ? membership(info, scopes) : finding('membership', failure(info))]
    },
  })
}

/** Messages to Slack, with the defaults of {@link createSlack}. */
export const slack = createSlack()

/** Formatting (`mrkdwn`) is on for the template's sake; names and links are not turned into mentions and previews. */
function bodyOf({ target, content }: OutgoingMessage): string {
  return JSON.stringify({
    channel: target,
    text: content.text,
    mrkdwn: true,
    parse: 'none',
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  })
}

function compose(message: OutgoingMessage): ComposedMessage {
  return { headers: [['Content-Type', contentType]], text: message.content.text, raw: bodyOf(message), envelope: { to: message.target } }
}

function failure(answer: HttpAnswer): DeliveryError {
  const { status, json, retryAfterMs } = answer
  if (typeof json.error !== 'string') {
    if (status !== 200) return statusFailure(answer, `Slack answered ${status}.`)
    const detail = 'The answer did not come from Slack, or not whole.'
    return new DeliveryError({ kind: 'ambiguous', code: 'unreadable_answer', detail, answer: spoken(answer) })
  }
  const { advice, ...verdict } = status === 429 ? slackVerdict('ratelimited') : slackVerdict(json.error)
  const needed = typeof json.needed === 'string' ? ` Needed: ${json.needed}.` : ''
  return new DeliveryError({
    ...verdict,
    code: json.error,
    detail: `Slack answered ${json.error}. ${advice}${needed}`,
    answer: spoken(answer),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}

function finding(name: string, { code, detail }: DeliveryError): CheckResult {
  return { name, ok: false, code, detail }
}

/** Slack lists a token's scopes in a header of every answer; where it does not, there is nothing to say. */
function checkScopes(scopes: readonly string[]): CheckResult[] {
  if (scopes.length === 0) return []
  const ok = scopes.includes('chat:write')
  return [
    { name: 'scopes', ok, code: ok ? 'ok' : 'missing_scope', detail: ok ? 'The token may post.' : 'The token lacks the scope chat:write.' },
  ]
}

/** Source: https://docs.slack.dev/reference/methods/conversations.info; direct messages have no membership. */
function membership({ json }: HttpAnswer, scopes: readonly string[]): CheckResult {
  const channel = (json.channel ?? {}) as Readonly<Record<string, unknown>>
  const name = typeof channel.name === 'string' ? `#${channel.name}` : 'the conversation'
  if (channel.is_archived === true)
    return { name: 'membership', ok: false, code: 'is_archived', detail: `The channel ${name} is archived.` }
  if (channel.is_member === true || channel.is_im === true) {
    return { name: 'membership', ok: true, code: 'ok', detail: `The app is in ${name}.` }
  }
  if (channel.is_private !== true && scopes.includes('chat:write.public')) {
    return { name: 'membership', ok: true, code: 'ok', detail: `The app is not in ${name}, but may post to every public channel.` }
  }
  return { name: 'membership', ok: false, code: 'not_in_channel', detail: `Add the app to ${name} first, with /invite in the channel.` }
}
