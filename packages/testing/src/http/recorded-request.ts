import type { Operation } from '../public-types.ts'

/** A request that the mock received. */
export interface RecordedRequest {
  /** The operation, such as `notifications.send`; `null` for an unknown path or method. */
  readonly operation: Operation | null
  readonly method: string
  /** The path without the query. */
  readonly path: string
  readonly query: Readonly<Record<string, string | readonly string[]>>
  /** The headers with lower-case names, without `authorization`. */
  readonly headers: Readonly<Record<string, string>>
  /** The body, parsed if it is JSON, otherwise as text. `undefined` if the request has no body. */
  readonly body: unknown
  /** The status of the response; `null` while the request is in progress, or if it ends without a response. */
  readonly status: number | null
  /** The `X-Request-Id` of the response. */
  readonly request_id: string
  /** The time of the request on the mock's clock. */
  readonly received_at: string
}

/** Decodes a request body for the request log: JSON, text or `undefined`. */
export const toReadableBody = (bytes: Uint8Array): unknown => {
  if (bytes.length === 0) return undefined
  const text = new TextDecoder().decode(bytes)
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** Returns a request's headers without the credential. */
export const omitCredential = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => name !== 'authorization'))
