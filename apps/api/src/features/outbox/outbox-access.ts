import type { Request } from 'express'
import { isLoopbackAddress, isLoopbackHost } from './loopback.ts'
import type { OutboxViewer } from './outbox.store.ts'

/** What an API key stands for, as far as the outbox needs to know. */
export interface OutboxKey {
  readonly userId: string
  /** Whether the key has every scope and is bound to no project. */
  readonly allScopes: boolean
}

/** What {@link createOutboxAccess} needs. */
export interface OutboxAccessDeps {
  /** Whether the server listens on loopback addresses only. */
  readonly boundToLoopback: boolean
  /** Whether the outbox is served to keys (`FLOWPOST_OUTBOX=on`). */
  readonly outboxEnabled: boolean
  /** Looks up an API key; `null` for one that is unknown, revoked or expired. */
  readonly verifyKey: (token: string) => Promise<OutboxKey | null>
}

/** The answer of the access rule: whose messages to show, or 401, or 404 as if there were no outbox. */
export type OutboxAccess = OutboxViewer | 'unauthorized' | 'hidden'

/** The fields that a proxy adds. Source: RFC 7239, RFC 9110 section 7.6.3, and what nginx is usually told to send. */
const proxyField = /^(?:forwarded|x-forwarded-.*|x-real-ip|via)$/

/**
 * Whether nobody but a program on this machine, talking straight to the server, can have sent the request.
 * A reverse proxy on the same machine connects from loopback too, so every trace of one counts against it:
 * nginx as it comes sends no such field and its upstream's own Host, but speaks HTTP/1.0.
 */
const isLocalRequest = (request: Request): boolean =>
  isLoopbackAddress(request.socket.remoteAddress ?? '') &&
  isLoopbackHost(request.headers.host ?? '') &&
  request.httpVersion !== '1.0' &&
  !Object.keys(request.headers).some((name) => proxyField.test(name))

/** The key of an `Authorization: Basic` header: its password, or its user name when the password is empty. Source: RFC 7617. */
const basicKey = (authorization: string): string | undefined => {
  const encoded = /^basic +([a-z0-9+/]{1,1024}={0,2})$/i.exec(authorization)?.[1]
  if (encoded === undefined) return undefined
  const credentials = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = credentials.indexOf(':')
  if (colon < 0) return undefined
  return credentials.slice(colon + 1) || credentials.slice(0, colon) || undefined
}

/**
 * The rule of who sees the outbox. Without a credential, everything, and only for a request that provably
 * comes from this machine to a server bound to loopback. Otherwise only when the outbox is on, and to a key
 * with all scopes given by HTTP Basic, that user's messages alone. The Host is read from the header itself
 * and the address from the socket, so that no proxy setting of the application can loosen the rule.
 * Rejects with whatever `verifyKey` rejects with.
 */
export const createOutboxAccess =
  (deps: OutboxAccessDeps) =>
  async (request: Request): Promise<OutboxAccess> => {
    if (deps.boundToLoopback && isLocalRequest(request)) return { all: true }
    if (!deps.outboxEnabled) return 'hidden'
    const token = basicKey(request.headers.authorization ?? '')
    const key = token === undefined ? null : await deps.verifyKey(token)
    return key?.allScopes === true ? { userId: key.userId } : 'unauthorized'
  }
