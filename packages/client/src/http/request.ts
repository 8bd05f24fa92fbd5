import { type AnyOptions, type CallContext, parseArguments } from '../calls/call-context.ts'
import { isBrowser } from '../config.ts'
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

// For example `Node.js/24`, `Deno/2.5.0` or `Cloudflare-Workers`. Node 20 has no `navigator`.
const platform = (): string => globalThis.navigator?.userAgent ?? `Node.js/${globalThis.process?.versions?.node}`

// The platform sets the connection headers (RFC 9110, section 7.6.1) and the body length, and rejects some of them from callers.
const forbiddenHeader = /^((proxy-)?connection|content-length|expect|idempotency-key|keep-alive|te|trailer|transfer-encoding|upgrade)$/i

const createHeaders = (options: AnyOptions, { idempotent }: Route, json: string | undefined): Headers => {
  let forbidden: string | undefined
  try {
    const headers = new Headers(options.headers)
    forbidden = [...headers.keys()].find((name) => forbiddenHeader.test(name))
    const set = (name: string, value: string | false | undefined) => {
      if (value !== undefined && value !== false) headers.set(name, value)
    }
    set('accept', 'application/json')
    // Browsers set their own User-Agent, and an additional header would cost a preflight request.
    set('user-agent', !isBrowser() && `flowpost-client/${version} ${platform()}`)
    set('content-type', json !== undefined && 'application/json')
    // Created once per call, so that all attempts send the same key.
    set('idempotency-key', idempotent && (options.idempotencyKey ?? randomId()))
    set('if-match', options.ifMatch)
    set('if-none-match', options.ifNoneMatch)
    if (!forbidden) return headers
  } catch {
    // The platform's error contains the header value, which may be a secret.
    throw new TypeError('A header or idempotencyKey has invalid characters.')
  }
  throw new TypeError(`headers must not set ${forbidden}. Use idempotencyKey, or leave it to the platform.`)
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
  const query = `${new URLSearchParams(Object.entries(params ?? {}).filter(([, value]) => value !== undefined))}`
  return query && `?${query}`
}
