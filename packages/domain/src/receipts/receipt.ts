/**
 * The receipts of deliveries: reports of what happened to messages after the provider accepted them.
 *
 * They come from webhooks, bounce emails and API requests, and can arrive long afterwards, repeatedly and in any order.
 * {@link mergeReceipts} keeps only one receipt per delivery: the one with the most serious status and, among receipts with
 * the same status, the earliest. A bounce that suppresses the recipient is more serious than one that does not. The result
 * therefore does not depend on the order in which receipts arrive, and recording a receipt again changes nothing.
 *
 * `bounced` is more serious than `delivered`, because a mail server can accept a message and reject it afterwards.
 * `complained` is the most serious: only a recipient who received the message can complain.
 *
 * Whether a delivery can have a receipt depends on its attempt count, not on its status. A webhook can arrive
 * while the outcome of the attempt is still being recorded (`sending`), after an attempt whose response was lost
 * (`ambiguous`, `retrying`, `canceled`), or after a later attempt that failed (`failed`).
 *
 * A receipt never changes the status of the delivery. A `sent` delivery whose message bounced stays `sent`. An `ambiguous`
 * delivery stays `ambiguous`, although its receipt shows that the message was sent. A request to retry the delivery removes
 * its receipt, because the message is then sent again.
 */

/** The statuses of receipts, from the least to the most serious. */
export const receiptStatuses = ['delivered', 'bounced', 'complained'] as const

/** The status of a receipt. */
export type ReceiptStatus = (typeof receiptStatuses)[number]

/** A report of what happened to a message after the provider accepted it. */
export interface Receipt {
  readonly status: ReceiptStatus
  /** When the reported event happened: an RFC 3339 timestamp in UTC with milliseconds. */
  readonly at: string
  /** The code from the provider or mail server, such as `5.1.1`; null if there is none. */
  readonly code: string | null
  /** The explanation from the provider or mail server; null if there is none. */
  readonly detail: string | null
}

/** The maximum length of a receipt's code, in code points. */
export const maxReceiptCodeLength = 100

/** The maximum length of a receipt's detail, in code points. */
export const maxReceiptDetailLength = 1_000

/** Returns whether a delivery can have a receipt: at least one attempt to send it must have been made. */
export const canHaveReceipt = (delivery: { readonly attemptCount: number }): boolean => delivery.attemptCount > 0

/** A regular expression for mail status codes such as `550` or `5.1.1`, for JavaScript and PostgreSQL. */
export const mailStatusCodePattern = '^(?:\\d{3}|\\d\\.\\d{1,3}\\.\\d{1,3})$'

const statusCode = new RegExp(mailStatusCodePattern)

/**
 * Returns a receipt without the texts that can contain an erased recipient's address: the detail, and any code that is
 * not a mail status code.
 */
export const withoutTexts = (receipt: Receipt): Receipt => ({
  ...receipt,
  code: receipt.code !== null && statusCode.test(receipt.code) ? receipt.code : null,
  detail: null,
})

/**
 * The status codes of bounces whose cause is not the recipient's address.
 *
 * Codes with three parts (RFC 3463), each with its cause:
 *
 * - `4.x.x`: a temporary failure that lasted until the mail server gave up
 * - `5.1.7` and `5.1.8`: the sender's address
 * - `5.1.90` and `5.2.252` (Microsoft): the sending account's daily limit, or its missing permission to send as the sender
 * - `5.2.2` and `5.2.3`: a full mailbox, or a message that is too long for it
 * - `5.2.121` and `5.2.122` (Microsoft): the hourly limit of the mailbox
 * - `5.3.x`: the receiving system
 * - `5.4.x`: the network. `5.4.4` is not included, because it means that the domain is unknown.
 * - `5.5.x`: the protocol
 * - `5.6.x`: the content
 * - `5.7.x`: a policy, such as a spam filter
 *
 * Three-digit codes (RFC 5321): all that start with `4` or `5`, except `550`, `551` and `553`, which concern the mailbox,
 * and `521` and `556` (RFC 7504), which mean that the domain accepts no mail.
 */
const otherCauses =
  /^(?:4\d\d|4(?:\.\d+){2}|5(?!21|50|51|53|56)\d\d|5\.(?:1\.(?:[78]|90)|2\.(?:[23]|12[12]|252)|4\.(?!4$)\d+|[3567]\.\d+))$/

/**
 * Returns whether sending to the recipient must stop because of a receipt. It must stop after any complaint, and after a
 * bounce unless the bounce's code names a cause other than the recipient's address.
 */
export const isSuppressing = ({ status, code }: Receipt): boolean =>
  status === 'complained' || (status === 'bounced' && !otherCauses.test(code ?? ''))

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

/** Returns a negative number if `one` takes precedence over `other`. Returns 0 only if the two are equal. */
const compareReceipts = (one: Receipt, other: Receipt): number =>
  receiptStatuses.indexOf(other.status) - receiptStatuses.indexOf(one.status) ||
  Number(isSuppressing(other)) - Number(isSuppressing(one)) ||
  compareText(one.at, other.at) ||
  compareText(one.code ?? '', other.code ?? '') ||
  compareText(one.detail ?? '', other.detail ?? '')

/**
 * Returns the receipt that the delivery keeps: `received` if it takes precedence, otherwise `current`. Returns one of the
 * two objects, not a copy, so that callers can detect with `===` whether the receipt changed.
 */
export const mergeReceipts = (current: Receipt | null, received: Receipt): Receipt =>
  current !== null && compareReceipts(current, received) <= 0 ? current : received

/** Returns a text as one line of at most `max` code points, without control characters; null if it is empty. */
const toPlainText = (text: string | null | undefined, max: number): string | null => {
  const plain = (text ?? '')
    .slice(0, 4 * max)
    .toWellFormed()
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
  return plain === '' ? null : [...plain].slice(0, max).join('')
}

/** The fields of a receipt as a provider reports them. */
export interface ReportedReceipt {
  readonly status: ReceiptStatus
  /** When the reported event happened; `undefined` if unknown. */
  readonly at?: Date | undefined
  readonly code?: string | null | undefined
  readonly detail?: string | null | undefined
}

/**
 * Converts a provider's report that was received at `now` to a receipt. A time that is unknown or in the future becomes
 * `now`. Texts are shortened and reduced to one line.
 */
export const toReceipt = ({ status, at, code, detail }: ReportedReceipt, now: Date): Receipt => {
  const atMs = at?.getTime() ?? Number.NaN
  return {
    status,
    at: new Date(atMs >= 0 && atMs <= now.getTime() ? atMs : now.getTime()).toISOString(),
    code: toPlainText(code, maxReceiptCodeLength),
    detail: toPlainText(detail, maxReceiptDetailLength),
  }
}
