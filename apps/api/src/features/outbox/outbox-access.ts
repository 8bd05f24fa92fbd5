import { isIPv4 } from 'node:net'
import { parseCookie } from 'cookie'
import type { Request } from 'express'
import type { OutboxViewer } from './outbox.queries.ts'
import type { OutboxSession } from './outbox-session.ts'

/** The properties of an API key that determine its access to the outbox. */
export interface OutboxKey {
  readonly userId: string
  /** Whether the key has all scopes and is not limited to one project. */
  readonly allScopes: boolean
}

/**
 * The access rule for the outbox:
 * - `off`: nobody has access;
 * - `link`: browsers on this machine have access after they open the link printed at startup;
 * - `local`: every program on this machine has access;
 * - `on`: API keys have access if they have all scopes and are not limited to one project.
 */
export type OutboxAccessRule =
  | { readonly mode: 'off' }
  | { readonly mode: 'link'; readonly session: OutboxSession }
  | { readonly mode: 'local' }
  /** `verifyKey` resolves with `null` for an unknown, revoked or expired key. */
  | { readonly mode: 'on'; readonly verifyKey: (token: string) => Promise<OutboxKey | null> }

/**
 * The result of the access check for a request that opens the printed link. The outbox responds to this request by setting
 * the cookie and redirecting to a URL without the token.
 */
export interface OutboxSignIn {
  readonly cookie: { readonly name: string; readonly value: string }
}

/**
 * The result of checking a request's access:
 * - a viewer, who has access;
 * - a sign-in, with the cookie to set;
 * - `link-required`: the response is 403 until the browser opens the printed link;
 * - `unauthorized`: the response is 401;
 * - `hidden`: the response is 404, as for an unknown path.
 */
export type OutboxAccess = OutboxViewer | OutboxSignIn | 'link-required' | 'unauthorized' | 'hidden'

/** The header fields that proxies add. Source: RFC 7239, RFC 9110 section 7.6.3, and the common nginx configuration. */
const proxyField = /^(?:forwarded|x-forwarded-.*|x-real-ip|via)$/

const hostPattern = /^(?<name>\[::1\]|[a-z0-9.-]{1,253})(?::\d{1,5})?$/i

/**
 * Returns whether a `Host` header has a loopback name: `localhost`, a subdomain of it, an address in 127.0.0.0/8 or
 * `[::1]`, with any port. This protects against DNS rebinding: if an attacker's host name resolves to 127.0.0.1, a
 * request from the attacker's page still has that name in its `Host` header. Source: RFC 6761 section 6.3, RFC 1122
 * section 3.2.1.3, RFC 4291 section 2.5.3.
 */
export const isLoopbackHost = (host: string): boolean => {
  const name = hostPattern.exec(host)?.groups?.['name']?.toLowerCase()
  if (name === undefined) return false
  return name === '[::1]' || name === 'localhost' || /^(?:[a-z0-9-]+\.)+localhost$/.test(name) || isLoopbackAddress(name)
}

/** Returns whether a socket address is a loopback address. Recognizes IPv4-mapped IPv6 addresses too. */
export const isLoopbackAddress = (address: string): boolean => {
  const plain = address.toLowerCase().replace(/^::ffff:/, '')
  return plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'))
}

/**
 * Returns whether the request comes from this machine and has a loopback name in `Host`. Reads the socket and the
 * header directly, so the `trust proxy` setting of Express has no effect.
 */
const isLoopbackRequest = (request: Request): boolean =>
  isLoopbackAddress(request.socket.remoteAddress ?? '') && isLoopbackHost(request.headers.host ?? '')

/**
 * Returns whether the request shows that it came through a proxy. `false` does not prove the opposite, because HAProxy and
 * nginx 1.30 leave no trace by default. The mode `local` is unsafe behind a proxy; this check detects some of these cases.
 */
const isVisiblyProxied = (request: Request): boolean =>
  request.httpVersion === '1.0' || Object.keys(request.headers).some((name) => proxyField.test(name))

/**
 * Returns the `token` parameter of a request for the list page. Returns `null` if the parameter is missing or the request
 * is for another page. Does not depend on the application's query parser.
 */
const linkToken = (request: Request): string | null =>
  request.path === '/' ? new URLSearchParams(/\?.*/.exec(request.originalUrl)?.[0]).get('token') : null

/**
 * Returns the API key in an `Authorization: Basic` header: the password, or the user name if the password is empty. Source:
 * RFC 7617.
 */
const basicKey = (authorization: string): string | undefined => {
  const encoded = /^basic +([a-z0-9+/]{1,1024}={0,2})$/i.exec(authorization)?.[1]
  if (encoded === undefined) return undefined
  const credentials = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = credentials.indexOf(':')
  if (colon < 0) return undefined
  return credentials.slice(colon + 1) || credentials.slice(0, colon) || undefined
}

const linkAccess = (session: OutboxSession, request: Request): OutboxAccess => {
  // Browsers send a cookie to every port of a host. The port in the cookie's name prevents two servers on one machine from
  // replacing each other's cookie.
  const name = `flowpost_outbox_${request.socket.localPort}`
  const token = linkToken(request)
  const isSignedIn = session.acceptsCookie(parseCookie(request.headers.cookie ?? '')[name] ?? '')
  if (token !== null && (isSignedIn || session.acceptsToken(token))) return { cookie: { name, value: session.cookie } }
  return isSignedIn ? { all: true } : 'link-required'
}

/** Returns whether the outbox is visible to this request. If not, the response is 404. */
export const isOutboxVisible = (mode: OutboxAccessRule['mode'], request: Request): boolean => {
  if (mode === 'link') return isLoopbackRequest(request)
  if (mode === 'local') return isLoopbackRequest(request) && !isVisiblyProxied(request)
  return mode === 'on'
}

/**
 * Creates the access check for the outbox. The modes `link` and `local` accept only requests from this machine, and show
 * the messages of all users. The mode `on` accepts requests from any address, and shows only the messages of the API
 * key's user. If `verifyKey` rejects, the check rejects with the same error.
 */
export const createOutboxAccess =
  (rule: OutboxAccessRule) =>
  async (request: Request): Promise<OutboxAccess> => {
    if (!isOutboxVisible(rule.mode, request)) return 'hidden'
    if (rule.mode === 'off') return 'hidden'
    if (rule.mode === 'local') return { all: true }
    if (rule.mode === 'link') return linkAccess(rule.session, request)
    const token = basicKey(request.headers.authorization ?? '')
    const key = token === undefined ? null : await rule.verifyKey(token)
    return key?.allScopes === true ? { userId: key.userId } : 'unauthorized'
  }
