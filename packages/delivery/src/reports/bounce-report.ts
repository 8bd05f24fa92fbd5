import type { ReportedReceipt } from '@flowpost/domain'
import type { Email } from 'postal-mime'
import { findInAddress, findInMessageId } from './bounce-address.ts'
import { pickBounceCode } from './bounce-code.ts'
import type { Report, ReportContext } from './report.ts'
import { type Fields, findStatusCode, parseDateField, parseFieldGroups } from './report-fields.ts'

// Limits on the cost of parsing a hostile message. Real bounces stay far below these limits: a bounce has three parts, and
// contains the headers of only two messages (the bounce and the original).
const parseOptions = { maxNestingDepth: 20, maxHeadersSize: 256 * 1024, forceRfc822Attachments: true } as const

// Parsing stops at these limits, because each line of a hostile message can take about 20 µs. If a bounce is longer, only the
// end of the original message is lost, because the original message comes after the report.
const maxParsedBytes = 256 * 1024
const maxParsedLines = 5_000
const lineFeed = 10

/** Returns the start of a message: at most `maxParsedBytes` bytes and `maxParsedLines` lines. */
function cutOff(body: Uint8Array): Uint8Array {
  const start = body.subarray(0, maxParsedBytes)
  let end = 0
  for (let lines = 0; lines < maxParsedLines; lines += 1) {
    const next = start.indexOf(lineFeed, end)
    if (next < 0) return start
    end = next + 1
  }
  return start.subarray(0, end)
}

// postal-mime is loaded when the first bounce arrives, because most processes receive none.
const loadParser = async () => (await import('postal-mime')).default

/**
 * Reads a bounce as a mail server received it (`message/rfc822`): a delivery status notification (RFC 3464), a bounce in the
 * older formats of Exim, Gmail, qmail and Yahoo, or a spam complaint (RFC 5965). Automatic replies and all other messages are
 * ignored.
 */
export async function readBounceReport({ body, recipient }: Pick<ReportContext, 'body' | 'recipient'>): Promise<Report> {
  const parser = await loadParser()
  let email: Email
  try {
    email = await parser.parse(cutOff(body), parseOptions)
  } catch {
    return { status: 'rejected', detail: 'The message has more than 20 levels of nested parts, or more than 256 KiB of headers.' }
  }
  const { receipt, originalSender } = readStatusNotification(email) ?? readComplaint(email) ?? readTextBounce(email) ?? {}
  const deliveryId = receipt && findDelivery(email, recipient, originalSender)
  return receipt && deliveryId !== undefined ? { status: 'receipt', deliveryId, receipt } : { status: 'ignored' }
}

interface ReadMessage {
  /** `undefined` if the report contains no final outcome of the original message. */
  readonly receipt?: ReportedReceipt | undefined
  /** The envelope sender of the original message, if the report contains it. */
  readonly originalSender?: string | undefined
}

/** Returns the text of the first part whose media type is one of `mediaTypes`. */
function findPart(email: Email, ...mediaTypes: readonly string[]): string | undefined {
  const content = email.attachments.find(({ mimeType }) => mediaTypes.includes(mimeType))?.content
  if (content === undefined || typeof content === 'string') return content
  const bytes = content instanceof Uint8Array ? content : new Uint8Array(content)
  return Buffer.from(bytes).toString('utf8')
}

const headerOf = (email: Email, name: string): string | undefined => email.headers.find(({ key }) => key === name)?.value

/**
 * Reads a delivery status notification. The notification's human-readable part differs between mail servers and
 * languages, so it is used only in an Exim bounce without a diagnostic code.
 */
function readStatusNotification(email: Email): ReadMessage | undefined {
  const part = findPart(email, 'message/delivery-status', 'message/global-delivery-status')
  if (part === undefined) return undefined
  const groups = parseFieldGroups(part)
  const failed = groups.find((group) => isAction(group, 'failed'))
  const described = failed ?? groups.find((group) => isAction(group, 'delivered'))
  if (!described) return {}
  // Exim reports no diagnostic code if it did not reach another server.
  const diagnostic = described.get('diagnostic-code')?.replace(/^[\w-]+\s*;\s*/, '') ?? (failed && explainEximBounce(email))
  return {
    receipt: {
      status: failed ? 'bounced' : 'delivered',
      at: parseDateField(described.get('last-attempt-date')) ?? parseDateField(headerOf(email, 'date')),
      code: pickBounceCode(findStatusCode(described.get('status')), diagnostic),
      detail: diagnostic ?? described.get('status'),
    },
  }
}

// Only the actions `failed` and `delivered` are final: `delayed` is temporary, and after `relayed` and `expanded` another
// server is responsible.
const isAction = (fields: Fields, action: string): boolean => fields.get('action')?.toLowerCase().startsWith(action) === true

const complaintTypes = new Set(['abuse', 'fraud', 'opt-out', 'opt-out-list'])

function readComplaint(email: Email): ReadMessage | undefined {
  const part = findPart(email, 'message/feedback-report')
  if (part === undefined) return undefined
  const [fields] = parseFieldGroups(part)
  const type = fields?.get('feedback-type')?.toLowerCase()
  // Reports of other types are not complaints: `not-spam` is the opposite, and `auth-failure` is about DMARC.
  if (!fields || type === undefined || !complaintTypes.has(type)) return {}
  const at = parseDateField(fields.get('arrival-date') ?? fields.get('received-date')) ?? parseDateField(headerOf(email, 'date'))
  return { receipt: { status: 'complained', at, code: type }, originalSender: fields.get('original-mail-from') }
}

const maxLineLength = 2_000
const copyLine = /^-{3}.*\b(?:copy of|original (?:message|headers))/i

/** Returns the lines of a bounce's text that precede the copy of the original message. */
function readExplanation(email: Email): readonly string[] {
  const lines = (email.text ?? '').split('\n').map((line) => line.slice(0, maxLineLength).trimEnd())
  const copyAt = lines.findIndex((line) => copyLine.test(line))
  return copyAt < 0 ? lines : lines.slice(0, copyAt)
}

/** Returns the reason in an Exim or Gmail bounce. A bounce has the header `X-Failed-Recipients`; a warning about a delay does not. */
function explainEximBounce(email: Email): string | undefined {
  if (headerOf(email, 'x-failed-recipients') === undefined) return undefined
  const lines = readExplanation(email)
  return (lines.find((line) => /\b[45]\d\d[ -]/.test(line)) ?? lines.findLast((line) => line !== ''))?.trim()
}

const qmailStart = /^(?:Hi\. This is the |Sorry, we were unable to deliver your message)/

/**
 * Returns the reason in a qmail or Yahoo bounce: the text between the recipient and the next empty line. Source:
 * https://cr.yp.to/proto/qsbmf.txt
 */
function explainQmailBounce(email: Email): string | undefined {
  const lines = readExplanation(email)
  if (!qmailStart.test(lines.find((line) => line !== '') ?? '')) return undefined
  const recipientAt = lines.findIndex((line) => /^<[^<>]*>:/.test(line))
  if (recipientAt < 0) return undefined
  const [first = '', ...following] = lines.slice(recipientAt)
  const end = following.indexOf('')
  return [first.replace(/^<[^<>]*>:/, ''), ...following.slice(0, end < 0 ? undefined : end)].join(' ').trim()
}

// Reads a bounce without a machine-readable part. Such bounces come from Exim before 4.95, from a later Exim that is
// configured to omit that part, from Gmail before 2016, from qmail, and from Yahoo.
function readTextBounce(email: Email): ReadMessage | undefined {
  const detail = explainEximBounce(email) ?? explainQmailBounce(email)
  if (detail === undefined) return undefined
  return { receipt: { status: 'bounced', at: parseDateField(headerOf(email, 'date')), code: pickBounceCode('5.0.0', detail), detail } }
}

/** The media types of the original message, or of its headers, in a bounce (RFC 3462, RFC 6533). */
const originalTypes = ['text/rfc822-headers', 'message/rfc822', 'message/rfc822-headers', 'message/global', 'message/global-headers']

const recipientHeaders = ['delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to', 'x-forwarded-to', 'to']

/**
 * Returns the id of the delivery that a report is about. The id is taken from an address to which the report was sent,
 * from the original envelope sender, or from the `Message-ID` of the original message in the report.
 */
function findDelivery(email: Email, recipient: string | undefined, originalSender: string | undefined): string | undefined {
  // A message has several `Delivered-To` headers if it was forwarded.
  const headers = recipientHeaders.flatMap((name) => email.headers.filter(({ key }) => key === name).map(({ value }) => value))
  for (const address of [recipient, ...headers, originalSender]) {
    const id = findInAddress(address)
    if (id !== undefined) return id
  }
  // Exim appends the original message to the text of the bounce.
  const original = findPart(email, ...originalTypes) ?? email.text
  const [messageId] = /^message-id:[^\n]*(?:\n[ \t][^\n]*)?/im.exec(original ?? '') ?? []
  return findInMessageId(messageId)
}
