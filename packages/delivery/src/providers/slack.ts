import { slackDescription } from '@flowpost/domain'
import { DeliveryError } from '../delivery-error.ts'
import { createStatusError, formatResponse, type HttpContext, type HttpResponse, parseApiUrl, sendRequest } from '../network/http.ts'
import { type CheckResult, type ComposedMessage, defineProvider, type OutgoingMessage } from '../provider.ts'
import { classifySlackError } from './slack-errors.ts'

/** The options with which a deployment configures the provider `slack`. */
export interface SlackOptions {
  /** The base URL of Slack's Web API. @default `https://slack.com/api/` */
  readonly apiUrl?: string
}

const contentType = 'application/json; charset=utf-8'

/**
 * Creates the provider `slack`, which sends messages to a channel with `chat.postMessage`. Source:
 * https://docs.slack.dev/reference/methods/chat.postMessage
 *
 * Slack documents no idempotency key for apps (`client_msg_id` is reserved for Slack's own clients). If the response to an
 * attempt is lost, the retry may therefore post the message a second time.
 *
 * @throws TypeError when the API URL is invalid. It must use HTTPS, except on a loopback address.
 */
export function createSlack({ apiUrl = 'https://slack.com/api/' }: SlackOptions = {}) {
  const baseUrl = parseApiUrl(apiUrl)

  function callMethod(
    context: HttpContext & { readonly secrets: { readonly token: string } },
    method: string,
    body: string | URLSearchParams,
  ): Promise<HttpResponse> {
    const authorization = `Bearer ${context.secrets.token}`
    const headers = typeof body === 'string' ? { authorization, 'content-type': contentType } : { authorization }
    return sendRequest(context, new URL(method, baseUrl).href, { method: 'POST', headers, body })
  }

  return defineProvider({
    ...slackDescription,
    placeholderSettings: {},
    compose,

    async send(context) {
      const response = await callMethod(context, 'chat.postMessage', serializeMessage(context.message))
      if (response.json.ok !== true) throw createError(response)
      const { channel, ts, warning } = response.json
      return { providerMessageId: typeof ts === 'string' ? ts : null, response: JSON.stringify({ ok: true, channel, ts, warning }) }
    },

    async check(context) {
      const identity = await callMethod(context, 'auth.test', new URLSearchParams())
      if (identity.json.ok !== true) return [toCheckResult('authenticate', createError(identity))]
      const { user, team } = identity.json
      const authenticated = {
        name: 'authenticate',
        ok: true,
        code: 'ok',
        detail: `The token belongs to ${String(user)} in ${String(team)}.`,
      }
      const scopes = (identity.headers.get('x-oauth-scopes') ?? '').split(/\s*,\s*/).filter((scope) => scope !== '')
      const results = [authenticated, ...checkScopes(scopes)]
      if (context.target === undefined) return results
      const info = await callMethod(context, 'conversations.info', new URLSearchParams({ channel: context.target }))
      return [...results, info.json.ok === true ? checkMembership(info, scopes) : toCheckResult('membership', createError(info))]
    },
  })
}

/** The provider `slack` with default options. */
export const slack = createSlack()

/**
 * Serializes a message for `chat.postMessage`. Slack's formatting (`mrkdwn`) is on, so that templates can use it. Link
 * previews and mentions by name are off.
 */
function serializeMessage({ target, content }: OutgoingMessage): string {
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
  const { target, content } = message
  return { headers: [['Content-Type', contentType]], text: content.text, raw: serializeMessage(message), envelope: { to: target } }
}

function createError(response: HttpResponse): DeliveryError {
  const { status, json, retryAfterMs } = response
  if (typeof json.error !== 'string') {
    if (status !== 200) return createStatusError(response, `Slack returned ${status}.`)
    const detail = 'The response is incomplete or not from Slack.'
    return new DeliveryError({ kind: 'ambiguous', code: 'unreadable_answer', detail, providerResponse: formatResponse(response) })
  }
  const { advice, ...classification } = classifySlackError(status === 429 ? 'ratelimited' : json.error)
  const neededScope = typeof json.needed === 'string' ? ` Needed: ${json.needed}.` : ''
  return new DeliveryError({
    ...classification,
    code: json.error,
    detail: `Slack returned ${json.error}. ${advice}${neededScope}`,
    providerResponse: formatResponse(response),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
}

function toCheckResult(name: string, { code, detail }: DeliveryError): CheckResult {
  return { name, ok: false, code, detail }
}

/**
 * Checks that the token has the scope for posting. Slack lists the token's scopes in a response header. If the header is
 * missing, returns no result.
 */
function checkScopes(scopes: readonly string[]): CheckResult[] {
  if (scopes.length === 0) return []
  const ok = scopes.includes('chat:write')
  const detail = ok ? 'The token has the scope chat:write.' : 'The token lacks the scope chat:write.'
  return [{ name: 'scopes', ok, code: ok ? 'ok' : 'missing_scope', detail }]
}

/**
 * Checks that the app may post to the conversation. For a direct message, the check always passes, because Slack's
 * response does not say whether the app is a member.
 * Source: https://docs.slack.dev/reference/methods/conversations.info
 */
function checkMembership({ json }: HttpResponse, scopes: readonly string[]): CheckResult {
  const channel = (json.channel ?? {}) as Readonly<Record<string, unknown>>
  const channelName = typeof channel.name === 'string' ? `#${channel.name}` : 'the conversation'
  const createResult = (code: string, detail: string) => ({ name: 'membership', ok: code === 'ok', code, detail })
  if (channel.is_archived === true) return createResult('is_archived', `The channel ${channelName} is archived.`)
  if (channel.is_member === true || channel.is_im === true) return createResult('ok', `The app is a member of ${channelName}.`)
  if (channel.is_private !== true && scopes.includes('chat:write.public')) {
    return createResult('ok', `The app is not a member of ${channelName}, but may post to every public channel.`)
  }
  return createResult('not_in_channel', `Add the app to ${channelName} first, with /invite in the channel.`)
}
