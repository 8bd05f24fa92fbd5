import { EventVerificationError } from './verification-error.ts'

/**
 * The headers of a request: `Headers`, the headers of a Node request, or an object whose header names may have any
 * case.
 */
export type EventHeaders = { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>

/** The signature headers (https://www.standardwebhooks.com). */
export interface SignatureHeaders {
  readonly id: string
  /** Seconds since the epoch. */
  readonly timestamp: number
  /** The signatures of version 1, in base64. */
  readonly signatures: readonly string[]
}

// An id must not contain dots, because dots separate the id, the timestamp and the body in the signed content. With a dot in
// the id, an attacker could move text from the body into the id without changing the signature.
const validId = /^[\w-]{1,255}$/
const validTimestamp = /^[1-9]\d{0,11}$/

const hasGet = (headers: EventHeaders): headers is { get(name: string): string | null } => typeof headers.get === 'function'

const readHeader = (headers: EventHeaders, name: string): string => {
  const values = hasGet(headers)
    ? [headers.get(name) ?? undefined]
    : Object.entries(headers)
        .filter(([key]) => key.toLowerCase() === name)
        .flatMap(([, value]) => value)
  const [value, second] = values
  if (second !== undefined) throw new EventVerificationError('malformed_header', `The header ${name} occurs more than once.`)
  if (!value) throw new EventVerificationError('missing_header', `The header ${name} is missing. Is the request from Flowpost?`)
  return value
}

/**
 * Reads and validates the signature headers.
 *
 * @throws {EventVerificationError} `missing_header` or `malformed_header`.
 */
export const readSignatureHeaders = (headers: EventHeaders): SignatureHeaders => {
  const id = readHeader(headers, 'webhook-id')
  const timestamp = readHeader(headers, 'webhook-timestamp')
  const signature = readHeader(headers, 'webhook-signature')
  if (!validId.test(id))
    throw new EventVerificationError('malformed_header', 'The header webhook-id contains an invalid character, or is too long.')
  if (!validTimestamp.test(timestamp))
    throw new EventVerificationError('malformed_header', 'The header webhook-timestamp is not a number of seconds since 1970.')
  const entries = signature.split(' ').filter((entry) => entry.includes(','))
  if (entries.length === 0)
    throw new EventVerificationError('malformed_header', 'The header webhook-signature contains no entry of the form v1,<base64>.')
  const signatures = entries.filter((entry) => entry.startsWith('v1,')).map((entry) => entry.slice(3))
  return { id, timestamp: Number(timestamp), signatures }
}
