import type { Operation } from '../named-types.ts'

/** A request that the mock has got. */
export interface RecordedRequest {
  /** Such as `notifications.send`; `null` for a path or a method that the contract does not have. */
  readonly operation: Operation | null
  readonly method: string
  /** The path without the query. */
  readonly path: string
  readonly query: Readonly<Record<string, string | readonly string[]>>
  /** In lower case, without `authorization`. */
  readonly headers: Readonly<Record<string, string>>
  /** The body, parsed where it is JSON, else as text; `undefined` without one. */
  readonly body: unknown
  /** The status of the answer; `null` while there is none, and when the connection failed. */
  readonly status: number | null
  /** The `X-Request-Id` of the answer. */
  readonly request_id: string
  /** When it came, on the clock of the mock. */
  readonly received_at: string
}

/** What a request carries, for people to look at. */
export const readableBody = (bytes: Uint8Array): unknown => {
  if (bytes.length === 0) return undefined
  const text = new TextDecoder().decode(bytes)
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** The headers of a request without its credential. */
export const readableHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => name !== 'authorization'))

/** The query of a URL: a parameter that is given twice is a list, which no schema takes. */
export const parseQuery = (parameters: URLSearchParams): Record<string, string | string[]> => {
  const query: Record<string, string | string[]> = Object.create(null)
  for (const [name, value] of parameters) {
    const before = query[name]
    query[name] = before === undefined ? value : [...(Array.isArray(before) ? before : [before]), value]
  }
  return query
}
