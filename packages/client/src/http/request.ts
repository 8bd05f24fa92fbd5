import { type AnyOptions, type CallContext, parseArguments } from '../calls/call-context.ts'
import { type Config, definedEntries } from '../config.ts'
import type { Route } from '../route.ts'

/** The route of an operation, and the arguments of a call to it: path ids, body and query parameters. */
export interface RequestInput {
  readonly route: Route
  readonly ids: readonly unknown[]
  readonly body?: unknown
  readonly params?: { readonly wait?: unknown; readonly cursor?: string | undefined } | undefined
}

/** The part of a request body that names a project by its key. */
interface Named {
  readonly project?: string | undefined
  readonly notifications?: readonly Named[]
}

/** The parts of a request that are the same in every attempt. */
export interface PreparedRequest {
  readonly url: string
  /**
   * The JSON text. Despite the type, it is `undefined` for a request without a body, because `JSON.stringify(undefined)`
   * returns `undefined`.
   */
  readonly body: string
  /**
   * All headers except the credential and a generated request id, keyed by lower-case name. This is a plain object, because
   * `fetch` processes a plain object faster than `Headers`.
   */
  readonly headers: Readonly<Record<string, string>>
  /** The key of the project that the request names, if any. */
  readonly project: string | undefined
}

/** Returns how long the query parameter `wait` allows the server to delay its response, in milliseconds. */
export const serverWaitMs = ({ route, params }: Pick<RequestInput, 'route' | 'params'>): number =>
  (Math.min(Number(params?.wait), route.wait ?? 0) || 0) * 1000

/** Returns a random identifier: a UUID, except on insecure pages, which lack `crypto.randomUUID`. */
export const randomId = (): string => crypto.randomUUID?.() ?? crypto.getRandomValues(new Uint32Array(4)).join('-')

// The headers that the option `headers` must not contain. `fetch` sets `Host`, `Content-Length`, `Expect` and the connection
// headers (RFC 9110, section 7.6.1). For the idempotency key, there is the option `idempotencyKey`.
const forbiddenHeader = /^(connection|content-length|expect|host|idempotency-key|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/

const createHeaders = (
  { userAgent }: Config,
  { headers, idempotencyKey, ifMatch, ifNoneMatch }: AnyOptions,
  { idempotent }: Route,
  json: string | undefined,
  digest: string | undefined,
): Record<string, string> => {
  // Replaces the platform's error, which contains the header's value. The value may be a secret.
  let problem = 'A header or idempotencyKey has invalid characters.'
  try {
    const conditions = definedEntries({
      // A `null` from plain JavaScript must not become the text "null", a key that unrelated requests would share.
      'idempotency-key': idempotencyKey ?? undefined,
      // Removes the `W/` of a weak entity tag, because `If-Match` never matches weak tags (RFC 9110, sections 8.8.1 and 13.1.1).
      // Flowpost sends only strong tags, but a proxy that compresses a response may make its tag weak. Nginx has done so since
      // 1.7.3 (https://nginx.org/en/CHANGES).
      // If `ifMatch` is `null`, sends the text "null", which the server rejects. If the header were omitted instead, the server
      // would accept the write for any version.
      'if-match': ifMatch?.replace(/^W\//, '') ?? ifMatch,
      'if-none-match': ifNoneMatch,
      'flowpost-settings-digest': digest,
    })
    let all: Record<string, string> = {}
    let forbidden: string | undefined
    // `Headers` validates these header values. Creating a `Headers` object takes most of the SDK's own CPU time
    // (docs/decisions/0042-sdk-cpu.md). Therefore, the object is created only if there are values to validate.
    if (headers !== undefined || conditions.length) {
      const given = new Headers(headers)
      forbidden = [...given.keys()].find((name) => forbiddenHeader.test(name))
      for (const [name, value] of conditions) given.set(name, value)
      all = Object.fromEntries(given)
    }
    if (!forbidden) {
      all['accept'] = 'application/json'
      if (userAgent) all['user-agent'] = userAgent
      if (json) all['content-type'] = 'application/json'
      // Created once for all attempts, so that they send the same key.
      if (idempotent) all['idempotency-key'] ??= randomId()
      return all
    }
    problem = `The header ${forbidden} is not allowed: ${forbidden === 'idempotency-key' ? 'use the option idempotencyKey' : 'fetch sets it'}.`
  } catch {}
  throw new TypeError(problem)
}

/**
 * Validates the arguments of a call and creates the request.
 *
 * @throws {FlowpostError} `invalid_argument` when the arguments do not form a valid request.
 */
export const prepareRequest = (context: CallContext, { route, ids, body, params }: RequestInput): PreparedRequest => {
  const { config, options } = context
  return parseArguments(context, () => {
    const json = JSON.stringify(body)
    const named = body as Named | undefined
    const project = (named?.notifications?.[0] ?? named)?.project
    return {
      url: config.baseUrl + fillPath(route.path, ids) + queryString(params),
      body: json,
      headers: createHeaders(config, options, route, json, config.lock?.projects[project as string]?.digest),
      project,
    }
  })
}

// Flowpost's identifiers contain only these characters. URL parsers resolve `.` and `..`, and proxies decode
// percent-encoding, so other values could reach another resource.
const validId = /^(?!\.{1,2}$)[\w.~-]+$/

/**
 * Inserts identifiers into a path template. All request paths are built here.
 *
 * @param template A path with `:name` for each parameter.
 * @param ids One value per parameter, in path order.
 * @throws {TypeError} When a value is not a string of ASCII letters, digits and `_.~-`, or is empty, `.` or `..`.
 */
export const fillPath = (template: string, ids: readonly unknown[]): string => {
  let next = 0
  return template.replace(/:(\w+)/g, (_, name: string) => {
    const id = ids[next++]
    if (typeof id !== 'string' || !validId.test(id)) throw new TypeError(`${name} is not a valid identifier: ${JSON.stringify(id)}`)
    return id
  })
}

/** Returns a query string with its `?`, or an empty string. Omits parameters that are `undefined`. */
export const queryString = (params: object | undefined): string => {
  const query = params && `${new URLSearchParams(definedEntries(params))}`
  return query ? `?${query}` : ''
}
