import { mailgunDescription } from '@flowpost/domain'
import type { z } from 'zod'
import { DeliveryError } from '../delivery-error.ts'
import { type EmailSender, formatMailbox, parseSender, toAsciiAddress } from '../email/address.ts'
import { getBoundary, getMessageId, sanitizeHeader, toCrlf } from '../email/mime.ts'
import { createStatusError, formatResponse, type HttpResponse, parseApiUrl, sendRequest } from '../network/http.ts'
import { type ComposedMessage, defineProvider, type OutgoingMessage } from '../provider.ts'
import { readMailgunReport } from '../reports/mailgun-report.ts'

/** The options with which a deployment configures the provider `mailgun`. */
export interface MailgunOptions {
  /**
   * The base URL of the API, without the version. @default `https://api.mailgun.net`, or `https://api.eu.mailgun.net` for
   * the region `eu`
   */
  readonly apiUrl?: string
}

type MailgunSettings = z.output<typeof mailgunDescription.settings>

const apiUrlByRegion = { us: 'https://api.mailgun.net/', eu: 'https://api.eu.mailgun.net/' } as const

/**
 * Creates the provider `mailgun`, which sends email through Mailgun's messages API.
 * Source: https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages
 *
 * @throws TypeError when the API URL is invalid. It must use HTTPS, except on a loopback address.
 */
export function createMailgun({ apiUrl }: MailgunOptions = {}) {
  const baseUrl = apiUrl === undefined ? undefined : parseApiUrl(apiUrl)
  const resolveUrl = (path: string, { region }: MailgunSettings) => new URL(path, baseUrl ?? apiUrlByRegion[region]).href
  return defineProvider({
    ...mailgunDescription,
    placeholderSettings: { domain: 'localhost', region: 'us', from: 'Flowpost <flowpost@localhost>', test_mode: false },
    compose,

    async send(context) {
      const { message, settings, secrets } = context
      const boundary = getBoundary(message)
      const headers = { ...createAuthorization(secrets.api_key), 'content-type': `multipart/form-data; boundary=${boundary}` }
      const body = serializeForm(createFields(message, settings), boundary)
      const url = resolveUrl(`v3/${settings.domain}/messages`, settings)
      const response = await sendRequest(context, url, { method: 'POST', headers, body }, { statusSuffices: true })
      if (response.status !== 200) throw createError(response)
      const { id } = response.json
      return { providerMessageId: typeof id === 'string' ? id : null, response: response.text }
    },

    async check(context) {
      const { settings, secrets } = context
      const { domain } = settings
      const response = await sendRequest(context, resolveUrl(`v4/domains/${domain}`, settings), {
        headers: createAuthorization(secrets.api_key),
      })
      const { status } = response
      if (status !== 200) {
        const { code, detail } = createError(response)
        const hint =
          status === 401 || status === 403
            ? ' A domain sending key can send messages but cannot pass this check, because it cannot read the domain.'
            : ''
        return [{ name: status === 404 ? 'domain' : 'authenticate', ok: false, code, detail: detail + hint }]
      }
      const state = String((response.json.domain as { state?: unknown } | undefined)?.state)
      const ok = state === 'active'
      return [
        { name: 'authenticate', ok: true, code: 'ok', detail: 'Mailgun accepted the key.' },
        { name: 'domain', ok, code: ok ? 'ok' : `domain_${state}`, detail: `The domain ${domain} is ${state}.` },
      ]
    },
    readReport: ({ body, clock, secrets }) => readMailgunReport({ body, clock }, secrets.webhook_signing_key),
  })
}

/** The provider `mailgun` with default options. */
export const mailgun = createMailgun()

type FormField = readonly [name: string, value: string]

/**
 * Creates the fields of the request. Mailgun creates the headers from them. It does not document what it does with text that
 * looks like an encoded word (RFC 2047), so such text is sent unchanged.
 */
function createFields(message: OutgoingMessage, sender: EmailSender & { readonly test_mode: boolean }): readonly FormField[] {
  const { subject, text, html } = message.content
  const from = parseSender(sender.from)
  return [
    ['from', formatMailbox(from)],
    ['to', toAsciiAddress(message.target)],
    ...(sender.reply_to === undefined ? [] : [['h:Reply-To', formatMailbox(parseSender(sender.reply_to))] satisfies FormField]),
    ['subject', sanitizeHeader(subject)],
    ['text', text],
    ...(html === undefined ? [] : [['html', html] satisfies FormField]),
    ['h:Message-Id', getMessageId(message, from)],
    ['h:Auto-Submitted', 'auto-generated'],
    ['v:flowpost_delivery_id', message.deliveryId],
    ...(sender.test_mode ? [['o:testmode', 'yes'] satisfies FormField] : []),
  ]
}

/**
 * Serializes fields as `multipart/form-data` (RFC 7578). The same fields and boundary always result in the same bytes.
 * Field names are constants without special characters, so they need no escaping.
 */
function serializeForm(fields: readonly FormField[], boundary: string): string {
  const parts = fields.map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${toCrlf(value)}\r\n`)
  return `${parts.join('')}--${boundary}--\r\n`
}

const headerByField: Readonly<Record<string, string>> = {
  from: 'From',
  to: 'To',
  subject: 'Subject',
  'h:Reply-To': 'Reply-To',
  'h:Message-Id': 'Message-Id',
}

function compose(message: OutgoingMessage, sender: MailgunSettings): ComposedMessage {
  const fields = createFields(message, sender)
  const { text, html } = message.content
  return {
    headers: fields.flatMap(([name, value]) => (headerByField[name] === undefined ? [] : [[headerByField[name], value] as const])),
    text,
    ...(html === undefined ? {} : { html }),
    raw: serializeForm(fields, getBoundary(message)),
    envelope: { from: toAsciiAddress(parseSender(sender.from).address), to: toAsciiAddress(message.target) },
  }
}

function createAuthorization(key: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`api:${key}`).toString('base64')}` }
}

/**
 * Creates the error for an unsuccessful response. In addition to the documented statuses, Mailgun returns 420 when a
 * domain exceeds its recipient limit.
 * Source: https://documentation.mailgun.com/docs/mailgun/quickstart-guide/responses
 */
function createError(response: HttpResponse): DeliveryError {
  const { status, json, text, retryAfterMs } = response
  const message = typeof json.message === 'string' ? json.message : text
  const detail = `Mailgun returned ${status}.`
  const input = { code: `http_${status}`, providerResponse: formatResponse(response) }
  if (status === 420 || (status < 500 && /\blimit exceeded\b|\btry again after\b/i.test(message))) {
    return new DeliveryError({ kind: 'rate', ...input, detail, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) })
  }
  if (status === 404) {
    return new DeliveryError({ kind: 'credential', ...input, detail: `${detail} The domain does not exist in this region.` })
  }
  if (status === 400 && /'?\bto\b'? parameter/i.test(message)) {
    return new DeliveryError({ kind: 'target', ...input, detail: `${detail} It rejected the recipient.` })
  }
  if (status === 400 && /'?\bfrom\b'? parameter/i.test(message)) {
    return new DeliveryError({ kind: 'credential', ...input, detail: `${detail} It rejected the sender.` })
  }
  return createStatusError(response, detail)
}
