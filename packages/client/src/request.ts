import { inBrowser } from './config.ts'
import { type AnyOptions, type CallContext, readArguments } from './context.ts'
import { version } from './generated/version.ts'
import { fillPath, queryString } from './path.ts'
import type { Route } from './route.ts'

/** What a request is made of. */
export interface RequestParts {
  readonly route: Route
  readonly ids: readonly unknown[]
  readonly body?: unknown
  readonly params?: { readonly wait?: unknown; readonly cursor?: string | undefined } | undefined
}

/** A request that is ready to be sent, as often as it takes. */
export interface PreparedRequest {
  readonly url: string
  /** Method and body. */
  readonly init: RequestInit
  /** All but the credential and the request id. */
  readonly headers: Headers
}

/** Milliseconds that the server may take because the query asks it to wait. */
export const serverWaitMs = ({ route, params }: Pick<RequestParts, 'route' | 'params'>): number =>
  (Math.min(Number(params?.wait), route.wait ?? 0) || 0) * 1000

/** A random identifier of digits. `randomUUID` is cheaper, because platforms draw its bits in advance, but missing where a page is not secure. */
export const randomId = (): string => crypto.randomUUID?.().replaceAll('-', '') ?? crypto.getRandomValues(new Uint32Array(4)).join('-')

// Such as `Node.js/24`, `Deno/2.5.0`, `Cloudflare-Workers`; Node 20 has no `navigator`.
const platform = (): string => globalThis.navigator?.userAgent ?? `Node.js/${globalThis.process?.versions?.node}`

// Those of the connection and of the length of the body belong to the platform (RFC 9110, 7.6.1), and it fails on some.
const forbidden = /^((proxy-)?connection|content-length|expect|idempotency-key|keep-alive|te|trailer|transfer-encoding|upgrade)$/i

const makeHeaders = (options: AnyOptions, { idempotent }: Route, json: string | undefined): Headers => {
  let refused: string | undefined
  try {
    const headers = new Headers(options.headers)
    refused = [...headers.keys()].find((name) => forbidden.test(name))
    const set = (name: string, value: string | false | undefined) => {
      if (value !== undefined && value !== false) headers.set(name, value)
    }
    set('accept', 'application/json')
    // Browsers set their own, and a header that they do not know costs a preflight.
    set('user-agent', !inBrowser() && `flowpost-client/${version} ${platform()}`)
    set('content-type', json !== undefined && 'application/json')
    // Made here, once, so that every attempt carries the same.
    set('idempotency-key', idempotent && (options.idempotencyKey ?? randomId()))
    set('if-match', options.ifMatch)
    set('if-none-match', options.ifNoneMatch)
    if (!refused) return headers
  } catch {
    // The error of the platform quotes the value, which may be a secret.
    throw new TypeError('A header or idempotencyKey cannot be sent.')
  }
  throw new TypeError(`headers must not set ${refused}. A key goes into idempotencyKey; the rest is for the platform to set.`)
}

/** @throws {FlowpostError} `invalid_argument` when no request can be made of the arguments. */
export const prepareRequest = (context: CallContext, { route, ids, body, params }: RequestParts): PreparedRequest => {
  const { config, options } = context
  return readArguments(context, () => {
    const json = JSON.stringify(body)
    return {
      url: config.baseUrl + fillPath(route.path, ids) + queryString(params),
      init: { method: route.method, body: json ?? null },
      headers: makeHeaders(options, route, json),
    }
  })
}
