import { parseCookie } from 'cookie'
import type { Request } from 'express'
import { isLoopbackAddress, isLoopbackHost } from './loopback.ts'
import type { OutboxViewer } from './outbox.store.ts'
import type { OutboxSession } from './outbox-session.ts'

/** What an API key stands for, as far as the outbox needs to know. */
export interface OutboxKey {
  readonly userId: string
  /** Whether the key has every scope and is bound to no project. */
  readonly allScopes: boolean
}

/**
 * Who may open the outbox: nobody (`off`), whoever has opened the printed link (`link`), every program on this
 * machine (`local`), or API keys with all scopes (`on`).
 */
export type OutboxAccessRule =
  | { readonly mode: 'off' }
  | { readonly mode: 'link'; readonly session: OutboxSession }
  | { readonly mode: 'local' }
  /** `verifyKey` looks up an API key; `null` for one that is unknown, revoked or expired. */
  | { readonly mode: 'on'; readonly verifyKey: (token: string) => Promise<OutboxKey | null> }

/** A request that opened the printed link: set this cookie and redirect away from the token. */
export interface OutboxSignIn {
  readonly cookie: { readonly name: string; readonly value: string }
}

/**
 * The decision about a request: whose messages to show, a cookie to set, 403 until the link is opened
 * (`link-required`), 401 (`unauthorized`), or 404 as if there were no outbox (`hidden`).
 */
export type OutboxAccess = OutboxViewer | OutboxSignIn | 'link-required' | 'unauthorized' | 'hidden'

/** Header fields that a proxy adds. Source: RFC 7239, RFC 9110 section 7.6.3, and the usual nginx configuration. */
const proxyField = /^(?:forwarded|x-forwarded-.*|x-real-ip|via)$/

/**
 * Whether the request comes from this machine and names it in `Host`. A page whose own name was rebound to
 * 127.0.0.1 names itself there. Reads the socket and the header, which no `trust proxy` setting changes.
 */
const isLoopbackRequest = (request: Request): boolean =>
  isLoopbackAddress(request.socket.remoteAddress ?? '') && isLoopbackHost(request.headers.host ?? '')

/**
 * Whether a proxy has visibly passed the request on. Not evidence of the contrary: HAProxy and nginx 1.30 leave
 * no trace by default. It only limits the damage where `local` is set behind a proxy by mistake.
 */
const isVisiblyProxied = (request: Request): boolean =>
  request.httpVersion === '1.0' || Object.keys(request.headers).some((name) => proxyField.test(name))

/** The token in the URL of the list, if any. Does not rely on the application's query parser. */
const linkToken = (request: Request): string | null =>
  request.path === '/' ? new URLSearchParams(/\?.*/.exec(request.originalUrl)?.[0]).get('token') : null

/** The key of an `Authorization: Basic` header: its password, or its user name when the password is empty. Source: RFC 7617. */
const basicKey = (authorization: string): string | undefined => {
  const encoded = /^basic +([a-z0-9+/]{1,1024}={0,2})$/i.exec(authorization)?.[1]
  if (encoded === undefined) return undefined
  const credentials = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = credentials.indexOf(':')
  if (colon < 0) return undefined
  return credentials.slice(colon + 1) || credentials.slice(0, colon) || undefined
}

const linkAccess = (session: OutboxSession, request: Request): OutboxAccess => {
  // Browsers send a cookie to every port of a host. Without the port in its name, the second of two servers on one
  // machine would replace the cookie of the first.
  const name = `flowpost_outbox_${request.socket.localPort}`
  const token = linkToken(request)
  const isSignedIn = session.acceptsCookie(parseCookie(request.headers.cookie ?? '')[name] ?? '')
  if (token !== null && (isSignedIn || session.acceptsToken(token))) return { cookie: { name, value: session.cookie } }
  return isSignedIn ? { all: true } : 'link-required'
}

/** Whether the outbox answers this request at all; `false` where it answers 404. */
export const isOutboxVisible = (mode: OutboxAccessRule['mode'], request: Request): boolean => {
  if (mode === 'link') return isLoopbackRequest(request)
  if (mode === 'local') return isLoopbackRequest(request) && !isVisiblyProxied(request)
  return mode === 'on'
}

/**
 * Decides who sees the outbox. `link` and `local` show every user's messages and answer only loopback requests;
 * `on` shows a key's user their own messages, wherever the request comes from.
 * Rejects with whatever `verifyKey` rejects with.
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
