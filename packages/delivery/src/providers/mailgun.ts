import { mailgunDescription, parseMailbox } from '@flowpost/domain'
import type { z } from 'zod'
import { DeliveryError } from '../delivery-error.ts'
import { boundaryOf, type EmailSender, messageIdOf, oneLine, withCrlf } from '../email-parts.ts'
import { apiBase } from '../fields.ts'
import { exchange, type HttpAnswer, spoken, statusFailure } from '../http.ts'
import { formatMailbox, wireAddress } from '../mailbox.ts'
import { type ComposedMessage, defineProvider, type OutgoingMessage } from '../provider.ts'

/** What a deployment may decide about Mailgun. */
export interface MailgunOptions {
  /** Where the API is, without a version. Default: `https://api.mailgun.net`, or `https://api.eu.mailgun.net` for the region `eu`. */
  readonly apiUrl?: string
}

type MailgunSettings = z.output<typeof mailgunDescription.settings>

const baseByRegion = { us: 'https://api.mailgun.net/', eu: 'https://api.eu.mailgun.net/' } as const

/**
 * Makes the provider `mailgun`: email through Mailgun's messages API.
 * Source: https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages
 *
 * @throws TypeError when the API URL is not HTTPS (HTTP is taken for loopback).
 */
export function createMailgun({ apiUrl }: MailgunOptions = {}) {
  const base = apiUrl === undefined ? undefined : apiBase(apiUrl)
  const address = (path: string, { region }: MailgunSettings) => new URL(path, base ?? baseByRegion[region]).href
  return defineProvider({
    ...mailgunDescription,
    placeholder: { domain: 'localhost', region: 'us', from: 'Flowpost <flowpost@localhost>', test_mode: false },
    compose,

    async send(call) {
      const boundary = boundaryOf(call.message)
      const headers = { ...authorization(call.secrets.api_key), 'content-type': `multipart/form-data; boundary=${boundary}` }
      const body = formBody(fieldsOf(call.message, call.settings), boundary)
      const url = address(`v3/${call.settings.domain}/messages`, call.settings)
      const answer = await exchange(call, url, { method: 'POST', headers, body })
      if (answer.status !== 200) throw failure(answer)
      const { id } = answer.json
      return { providerMessageId: typeof id === 'string' ? id : null, response: answer.text }
    },

    async check(call) {
      const { domain } = call.settings
      const answer = await exchange(call, address(`v4/domains/${domain}`, call.settings), { headers: authorization(call.secrets.api_key) })
      if (answer.status !== 200) {
        const { code, detail } = failure(answer)
        const known = answer.status === 404
        const hint = answer.status === 401 || answer.status === 403 ? ' A sending key may send, but not read the domain.' : ''
        return [{ name: known ? 'domain' : 'authenticate', ok: false, code, detail: detail + hint }]
      }
      const state = (answer.json.domain as { state?: unknown } | undefined)?.state
      const active = state === 'active'
      return [
        { name: 'authenticate', ok: true, code: 'ok', detail: 'Mailgun accepted the key.' },
        {
          name: 'domain',
          ok: active,
          code: active ? 'ok' : `domain_${String(state)}`,
          detail: `The domain ${domain} is ${String(state)}.`,
        },
      ]
    },
  })
}

/** Email through Mailgun, with the defaults of {@link createMailgun}. */
export const mailgun = createMailgun()

function fieldsOf(message: OutgoingMessage, sender: EmailSender & { readonly test_mode: boolean }): [string, string][] {
  const { subject, text, html } = message.content
  return [
    ['from', mailbox(sender.from)],
    ['to', wireAddress(message.target)],
    ...(sender.reply_to === undefined ? [] : [['h:Reply-To', mailbox(sender.reply_to)] satisfies [string, string]]),
    ['subject', oneLine(subject)],
    ['text', text],
    ...(html === undefined ? [] : [['html', html] satisfies [string, string]]),
    ['h:Message-Id', messageIdOf(message, sender)],
    ['h:Auto-Submitted', 'auto-generated'],
    ['v:flowpost_delivery_id', message.deliveryId],
    ...(sender.test_mode ? [['o:testmode', 'yes'] satisfies [string, string]] : []),
  ]
}

/** `multipart/form-data` (RFC 7578), the same bytes each time; the names are ours and need no quoting. */
function formBody(fields: ReadonlyArray<readonly [string, string]>, boundary: string): string {
  const parts = fields.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${withCrlf(value)}\r\n`,
  )
  return `${parts.join('')}--${boundary}--\r\n`
}

function compose(message: OutgoingMessage, sender: MailgunSettings): ComposedMessage {
  const fields = fieldsOf(message, sender)
  const { text, html } = message.content
  const shown: Readonly<Record<string, string>> = {
    from: 'From',
    to: 'To',
    subject: 'Subject',
    'h:Reply-To': 'Reply-To',
    'h:Message-Id': 'Message-Id',
  }
  return {
    headers: fields.flatMap(([name, value]) => (shown[name] === undefined ? [] : [[shown[name], value] as const])),
    text,
    ...(html === undefined ? {} : { html }),
    raw: formBody(fields, boundaryOf(message)),
    envelope: { from: wireAddress(parseMailbox(sender.from)?.address ?? ''), to: wireAddress(message.target) },
  }
}

function mailbox(text: string): string {
  const parsed = parseMailbox(text)
  if (!parsed) throw new TypeError('The sender is not a mailbox.')
  return formatMailbox(parsed)
}

function authorization(key: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`api:${key}`).toString('base64')}` }
}

/** Source: https://documentation.mailgun.com/docs/mailgun/quickstart-guide/responses; 420 is seen when the recipients of a domain are limited. */
function failure(answer: HttpAnswer): DeliveryError {
  const { status, json } = answer
  const said = typeof json.message === 'string' ? json.message : answer.text
  const detail = `Mailgun answered ${status}.`
  const input = { code: `http_${status}`, detail, answer: spoken(answer) }
  if (status === 420 || (status < 500 && /\blimit exceeded\b|\btry again after\b/i.test(said))) {
    const retry = answer.retryAfterMs === undefined ? {} : { retryAfterMs: answer.retryAfterMs }
    return new DeliveryError({ kind: 'rate', ...input, ...retry })
  }
  // No such domain: another name, or the other region.
  if (status === 404) return credentialFault(input, 'It has no such domain, or not in this region.')
  if (status === 400 && /'?\bto\b'? parameter/i.test(said))
    return new DeliveryError({ kind: 'target', ...input, detail: `${detail} It does not take the receiver.` })
  if (status === 400 && /'?\bfrom\b'? parameter/i.test(said)) return credentialFault(input, 'It does not take the sender.')
  return statusFailure(answer, detail)
}

function credentialFault(input: { code: string; detail: string; answer: string }, words: string): DeliveryError {
  return new DeliveryError({ kind: 'credential', ...input, detail: `${input.detail} ${words}` })
}
