import { type AnyOptions, type CallContext, parseArguments } from '../calls/call-context.ts'
import { definedEntries, isBrowser } from '../config.ts'
import { version } from '../generated/version.ts'
import type { Route } from '../route.ts'

/** The arguments of a request. */
export interface RequestInput {
  readonly route: Route
  readonly ids: readonly unknown[]
  readonly body?: unknown
  readonly params?: { readonly wait?: unknown; readonly cursor?: string | undefined } | undefined
}

/** A request that every attempt sends unchanged. */
export interface PreparedRequest {
  readonly url: string
  /** Method and body. */
  readonly init: RequestInit
  /** All headers except the credential and the request id. */
  readonly headers: Headers
}

/** Returns how long the server may delay the response because of the query parameter `wait`, in milliseconds. */
export const serverWaitMs = ({ route, params }: Pick<RequestInput, 'route' | 'params'>): number =>
  (Math.min(Number(params?.wait), route.wait ?? 0) || 0) * 1000

/** Returns a random identifier. `crypto.randomUUID` is faster, but is not available on insecure pages. */
export const randomId = (): string => crypto.randomUUID?.().replaceAll('-', '') ?? crypto.getRandomValues(new Uint32Array(4)).join('-')

// The platform sets the headers of the connection (RFC 9110, section 7.6.1), the host and the body length.
const forbiddenHeader = /^(connection|content-length|expect|host|idempotency-key|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/

const createHeaders = (options: AnyOptions, { idempotent }: Route, json: string | undefined): Headers => {
  // Replaces the error of the platform, which contains the value of the header. It may be a secret.
  let problem = 'A header or idempotencyKey has invalid characters.'
  try {
    const headers = new Headers(options.headers)
    const forbidden = [...headers.keys()].find((name) => forbiddenHeader.test(name))
    if (!forbidden) {
      for (const [name, value] of definedEntries({
        accept: 'application/json',
        // For example `flowpost-client/1.0.0 Node.js/24`. Only Node 20 has no `navigator`.
        // Browsers set their own User-Agent, and an additional header would cost a preflight request.
        'user-agent': isBrowser() ? undefined : `flowpost-client/${version} ${globalThis.navigator?.userAgent ?? 'Node.js/20'}`,
        'content-type': json && 'application/json',
        // Created once per call, so that all attempts send the same key.
        'idempotency-key': idempotent && (options.idempotencyKey ?? randomId()),
        'if-match': options.ifMatch,
        'if-none-match': options.ifNoneMatch,
      }))
        headers.set(name, value)
      return headers
    }
    problem = `The header ${forbidden} is not allowed: ${forbidden === 'idempotency-key' ? 'use the option idempotencyKey' : 'the platform sets it'}.`
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
    return {
      url: config.baseUrl + fillPath(route.path, ids) + queryString(params),
      init: { method: route.method, body: json ?? null },
      headers: createHeaders(options, route, json),
    }
  })
}

// URL parsers resolve dot segments and proxies decode percent-encoding, so these values would reach another resource.
const unsafeId = /^\.{0,2}$|[/\\?#%\s\p{C}]/u

/**
 * Inserts percent-encoded identifiers into a path template. All request paths are built here.
 *
 * @param template A path with `:name` for each parameter.
 * @param ids One value per parameter, in path order.
 * @throws {TypeError} When a value is not a string, is empty, `.` or `..`, or contains whitespace, a control
 * character or one of `/ \ ? # %`. No Flowpost identifier contains these.
 */
export const fillPath = (template: string, ids: readonly unknown[]): string => {
  let next = 0
  return template.replace(/:(\w+)/g, (_, name: string) => {
    const id = ids[next++]
    if (typeof id !== 'string' || unsafeId.test(id)) throw new TypeError(`${name} is not a valid identifier: ${JSON.stringify(id)}`)
    return encodeURIComponent(id)
  })
}

/** Returns a query string with its `?`, or an empty string. Omits parameters that are `undefined`. */
export const queryString = (params: object | undefined): string => {
  const query = `${new URLSearchParams(definedEntries(params ?? {}))}`
  return query && `?${query}`
}
