import { decodeSecret, type RawBody, sign, signedContent, toBytes } from './signature.ts'

/** The content type and the signature headers that Flowpost sends with an event. */
export interface SignedEventHeaders extends Record<string, string> {
  readonly 'content-type': string
  readonly 'webhook-id': string
  readonly 'webhook-timestamp': string
  readonly 'webhook-signature': string
}

/**
 * Signs an event as Flowpost does, for testing receivers.
 *
 * @param body The raw body.
 * @param options The id of the event, the signing secrets (several during a rotation), and the time in milliseconds
 * since the epoch (default: now).
 * @throws {TypeError} When a secret is malformed, or the body is neither a string nor bytes.
 */
export const signEvent = async (
  body: RawBody,
  { id, secret, now = Date.now() }: { readonly id: string; readonly secret: string | readonly string[]; readonly now?: number | undefined },
): Promise<SignedEventHeaders> => {
  const timestamp = Math.floor(now / 1000)
  const content = signedContent(id, timestamp, toBytes(body))
  const signatures = await Promise.all([secret].flat().map((one) => sign(decodeSecret(one), content)))
  return {
    'content-type': 'application/json; charset=utf-8',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.map((signature) => `v1,${signature}`).join(' '),
  }
}
