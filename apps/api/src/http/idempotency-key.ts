import { createHash } from 'node:crypto'
import {
  batchItemKey,
  buildOperationPath,
  fingerprintRequest,
  idempotencyKeyReused,
  idempotencyNotReplayable,
  replayedHeaders,
  toIdempotentOperation,
} from '@flowpost/contract/rules'
import type { Request } from 'express'
import type { Principal } from '../auth/principal.ts'

/** The response of an idempotent operation. */
export interface IdempotentResponse<Status extends number, Body> {
  readonly status: Status
  readonly body: Body
  readonly headers?: Readonly<Record<string, string>>
}

/** A request's idempotency key, with the request's fingerprint. */
export interface IdempotencyKey {
  /** The user, the operation and the key. */
  readonly id: readonly [userId: string, operation: string, key: string]
  readonly fingerprint: Buffer
  /** The id of the advisory lock to hold while the request is processed, derived from {@link IdempotencyKey.id}. */
  readonly lock: string
}

/** A response as stored under its idempotency key. */
export interface StoredResponse extends IdempotencyKey {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly createdAt: Date
}

/** The columns of a stored response that a replay needs. */
export type StoredRow = Pick<StoredResponse, 'status' | 'headers' | 'body'> & { readonly fingerprint: Uint8Array }

/**
 * The empty text, which is stored instead of the body if a response is not replayable. It always differs from a stored body,
 * because each body is stored as JSON, and JSON is never empty.
 */
export const notReplayable = ''

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

const createKey = (principal: Principal, method: string, path: string, key: string, body: unknown): IdempotencyKey => {
  const id = [principal.userId, toIdempotentOperation(principal.mode, method, path), key] as const
  return {
    id,
    fingerprint: sha256(fingerprintRequest(principal.projectId, body)),
    lock: sha256(JSON.stringify(id)).readBigInt64BE().toString(),
  }
}

/** Returns the idempotency key of a request; `undefined` if the request has none. */
export const keyOf = (request: Request, principal: Principal, body: unknown): IdempotencyKey | undefined => {
  const key = request.get('idempotency-key')
  if (key === undefined) return undefined
  const { method, path } = (request as Request & { tsRestRoute: { method: string; path: string } }).tsRestRoute
  return createKey(principal, method, buildOperationPath(path, request.params as Readonly<Record<string, string>>), key, body)
}

/**
 * Returns the idempotency key of an item in a batch. The item's own key is treated like the key of a single send. If
 * the item has no key, its key is derived from the batch's key and the item's position. Returns `undefined` if the batch
 * has no key either.
 */
export const keyOfItem = (
  principal: Principal,
  batchKey: string | undefined,
  item: { readonly index: number; readonly idempotencyKey: string | undefined; readonly body: unknown },
): IdempotencyKey | undefined => {
  if (item.idempotencyKey !== undefined) return createKey(principal, 'POST', '/v1/notifications', item.idempotencyKey, item.body)
  if (batchKey === undefined) return undefined
  return createKey(principal, 'POST', '/v1/notifications/batch', batchItemKey(batchKey, item.index), item.body)
}

/**
 * Returns the stored response, marked as a replay.
 * @throws ApiError `idempotency_key_reused` or `idempotency_not_replayable`.
 */
export const replay = <Status extends number, Body>(stored: StoredRow, fingerprint: Buffer): IdempotentResponse<Status, Body> => {
  if (!fingerprint.equals(stored.fingerprint)) throw idempotencyKeyReused()
  if (stored.body === notReplayable) throw idempotencyNotReplayable(stored.headers)
  return { status: stored.status as Status, body: JSON.parse(stored.body) as Body, headers: { ...stored.headers, ...replayedHeaders } }
}
