import { type EventHeaders, readSignatureHeaders } from './event-headers.ts'
import type { FlowpostEvent } from './event-types.ts'
import { decodeSecret, isSameSignature, type RawBody, sign, signedContent, toBytes } from './signature.ts'
import { EventVerificationError } from './verification-error.ts'

/** Options of {@link verifyEvent}. */
export interface VerifyEventOptions {
  /**
   * The maximum difference between the timestamp and the clock, in seconds, in either direction. Not negative.
   * @default 300
   */
  readonly toleranceSeconds?: number | undefined
  /**
   * Returns the current time in milliseconds since the epoch. For tests.
   * @default Date.now
   */
  readonly now?: (() => number) | undefined
}

const requireRecentTimestamp = (timestamp: number, toleranceSeconds: number, nowMs: number): void => {
  const age = Math.floor(nowMs / 1000) - timestamp
  const text = `${Math.abs(age)} seconds; at most ${toleranceSeconds} are allowed. Is the clock of this machine right?`
  // If `now` returns an invalid time, `age` is `NaN`. The check `age > toleranceSeconds` would then accept every timestamp.
  if (!(age <= toleranceSeconds)) throw new EventVerificationError('timestamp_too_old', `The timestamp is in the past by ${text}`)
  if (-age > toleranceSeconds) throw new EventVerificationError('timestamp_in_future', `The timestamp is in the future by ${text}`)
}

const parseEvent = (body: Uint8Array): FlowpostEvent => {
  try {
    const event: unknown = JSON.parse(new TextDecoder().decode(body))
    const { id, type } = event as { id?: unknown; type?: unknown }
    if (typeof id === 'string' && typeof type === 'string') return event as FlowpostEvent
  } catch {}
  throw new EventVerificationError('malformed_body', 'The signature matches, but the body is not a Flowpost event.')
}

/**
 * Verifies that a request is an event from Flowpost, and returns the event. Uses Standard Webhooks and the Web Crypto
 * API.
 *
 * @param body The raw request body, exactly as it was received.
 * @param headers The request headers.
 * @param secret The endpoint's signing secret (`whsec_…`), or several secrets, one of which must match.
 * @param options The tolerance and the clock.
 * @throws {EventVerificationError} When the request is not an authentic event, or its timestamp is outside the tolerance.
 * @throws {TypeError} When `body` is neither a string nor bytes, a secret is missing or malformed, or
 * `toleranceSeconds` is negative or not a number. These are mistakes in the receiver.
 */
export const verifyEvent = async (
  body: RawBody,
  headers: EventHeaders,
  secret: string | readonly string[],
  options: VerifyEventOptions = {},
): Promise<FlowpostEvent> => {
  const secrets = [secret].flat().map(decodeSecret)
  if (secrets.length === 0) throw new TypeError('secret must contain at least one signing secret.')
  const { toleranceSeconds = 300, now = Date.now } = options
  if (typeof toleranceSeconds !== 'number' || !(toleranceSeconds >= 0))
    throw new TypeError('toleranceSeconds must be a non-negative number.')
  const bytes = toBytes(body)
  const { id, timestamp, signatures } = readSignatureHeaders(headers)
  requireRecentTimestamp(timestamp, toleranceSeconds, now())
  const content = signedContent(id, timestamp, bytes)
  // Computes one signature per secret. The number of computations must not depend on the number of signatures in the
  // header, because an attacker chooses that number.
  const expected = await Promise.all(secrets.map((key) => sign(key, content)))
  if (!signatures.some((signature) => expected.some((own) => isSameSignature(signature, own))))
    throw new EventVerificationError(
      'no_matching_signature',
      signatures.length === 0
        ? 'The header webhook-signature contains no signature of version v1.'
        : 'No signature matches. Pass the body as it was received, and the signing secret of this endpoint.',
    )
  return parseEvent(bytes)
}
