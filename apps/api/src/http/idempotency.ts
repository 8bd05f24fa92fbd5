import { createHash } from 'node:crypto'
import {
  buildOperationPath,
  fingerprintRequest,
  idempotencyInProgress,
  idempotencyKeyReused,
  idempotencyKeyTtlMs,
  idempotencyNotReplayable,
  replayedHeaders,
  toIdempotentOperation,
} from '@flowpost/contract/rules'
import type { Request } from 'express'
import type { Principal } from '../auth/principal.ts'
import type { Database, UnitOfWork } from '../database/database.ts'
import type { Clock } from '../shared/clock.ts'

/** The response of an idempotent operation. */
export interface IdempotentResponse<Status extends number, Body> {
  readonly status: Status
  readonly body: Body
  readonly headers?: Readonly<Record<string, string>>
}

/** Processes each idempotency key once. */
export interface Idempotency {
  /**
   * Runs `work` in a transaction. If the request has a key, the response is stored in the same transaction, so that after a
   * crash, either both the changes and the response exist, or neither does. If `work` throws, the key can be used again.
   * @param options.replayable `false` for a response that holds a secret: its body is not stored, and replays are rejected.
   * @throws ApiError `idempotency_in_progress`, `idempotency_key_reused` or `idempotency_not_replayable`.
   */
  run<Status extends number, Body>(
    request: Request,
    principal: Principal,
    body: unknown,
    work: (transaction: UnitOfWork) => Promise<IdempotentResponse<Status, Body>>,
    options?: { readonly replayable?: boolean },
  ): Promise<IdempotentResponse<Status, Body>>
  /**
   * Returns the key of a request and the response stored under it, if any. For callers that store the response themselves.
   * @throws ApiError `idempotency_key_reused` or `idempotency_not_replayable`.
   */
  find<Status extends number, Body>(
    request: Request,
    principal: Principal,
    body: unknown,
  ): Promise<{ readonly key: IdempotencyKey | undefined; readonly response: IdempotentResponse<Status, Body> | undefined }>
  /** Returns the row to store for a response. */
  toStoredResponse(key: IdempotencyKey, response: IdempotentResponse<number, unknown>): StoredResponse
  /** Returns the creation time before which stored responses have expired. */
  oldest(): Date
}

/** The idempotency key of a request, before the request is processed. */
export interface IdempotencyKey {
  /** The user, the operation and the key. */
  readonly id: readonly [userId: string, operation: string, key: string]
  readonly fingerprint: Buffer
  /** The advisory lock to hold while the request is processed. */
  readonly lock: string
}

/** A response as stored under its key. */
export interface StoredResponse extends IdempotencyKey {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly createdAt: Date
}

// Stored in place of the body of a response that is not replayable. It differs from every body, because JSON is never empty.
const notReplayable = ''

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

type StoredRow = Pick<StoredResponse, 'status' | 'headers' | 'body'> & { readonly fingerprint: Uint8Array }

const findKey = {
  name: 'find-idempotency-key',
  text: `select fingerprint, status, headers, body from idempotency_keys
    where user_id = $1 and operation = $2 and key = $3 and created_at > $4`,
}

const keyOf = (request: Request, principal: Principal, body: unknown): IdempotencyKey | undefined => {
  const key = request.get('idempotency-key')
  if (key === undefined) return undefined
  const { method, path } = (request as Request & { tsRestRoute: { method: string; path: string } }).tsRestRoute
  const params = request.params as Readonly<Record<string, string>>
  const id = [principal.userId, toIdempotentOperation(principal.mode, method, buildOperationPath(path, params)), key] as const
  return {
    id,
    fingerprint: sha256(fingerprintRequest(principal.projectId, body)),
    lock: sha256(JSON.stringify(id)).readBigInt64BE().toString(),
  }
}

/** Returns the stored response, marked as a replay. */
const replay = <Status extends number, Body>(stored: StoredRow, fingerprint: Buffer): IdempotentResponse<Status, Body> => {
  if (!fingerprint.equals(stored.fingerprint)) throw idempotencyKeyReused()
  if (stored.body === notReplayable) throw idempotencyNotReplayable(stored.headers)
  return { status: stored.status as Status, body: JSON.parse(stored.body) as Body, headers: { ...stored.headers, ...replayedHeaders } }
}

/** Creates an {@link Idempotency} that stores responses in the table `idempotency_keys`. */
export const createIdempotency = (deps: { database: Database; clock: Clock }): Idempotency => {
  const { database, clock } = deps

  const oldest = () => new Date(clock.now().getTime() - idempotencyKeyTtlMs)

  const findStored = async (on: Pick<Database, 'query'>, key: IdempotencyKey): Promise<StoredRow | undefined> => {
    const rows = await on.query<StoredRow>(findKey, [...key.id, oldest()])
    return rows[0]
  }

  const toStoredResponse = (key: IdempotencyKey, response: IdempotentResponse<number, unknown>, replayable: boolean): StoredResponse => ({
    ...key,
    status: response.status,
    headers: response.headers ?? {},
    body: replayable ? JSON.stringify(response.body) : notReplayable,
    createdAt: clock.now(),
  })

  // The transaction that has stored the response may be committed on the primary only.
  const findReplicated = async (key: IdempotencyKey): Promise<StoredRow | undefined> => {
    const stored = await findStored(database, key)
    if (stored) await database.awaitReplication()
    return stored
  }

  return {
    oldest,
    find: async (request, principal, body) => {
      const key = keyOf(request, principal, body)
      const stored = key && (await findReplicated(key))
      return { key, response: stored && replay(stored, key.fingerprint) }
    },
    toStoredResponse: (key, response) => toStoredResponse(key, response, true),
    run: async (request, principal, body, work, { replayable = true } = {}) => {
      const key = keyOf(request, principal, body)
      if (!key) return database.unitOfWork(work)
      const earlier = await findReplicated(key)
      if (earlier) return replay(earlier, key.fingerprint)
      const result = await database.unitOfWork(async (transaction) => {
        // The lock is released with the transaction, so a process that dies leaves no key in progress.
        const [row] = await transaction.query<{ free: boolean }>('select pg_try_advisory_xact_lock($1::bigint) as free', [key.lock])
        if (!row?.free) throw idempotencyInProgress()
        // Another request has used the key since `earlier` was read.
        if (await findStored(transaction, key)) return undefined
        const response = await work(transaction)
        const stored = toStoredResponse(key, response, replayable)
        await transaction.query(
          `insert into idempotency_keys (user_id, operation, key, fingerprint, status, headers, body, created_at)
           values ($1, $2, $3, $4, $5, $6::jsonb, $7, $8)
           on conflict (user_id, operation, key) do update set fingerprint = excluded.fingerprint, status = excluded.status,
             headers = excluded.headers, body = excluded.body, created_at = excluded.created_at`,
          [...stored.id, stored.fingerprint, stored.status, JSON.stringify(stored.headers), stored.body, stored.createdAt],
        )
        return response
      })
      if (result) return result
      const concurrent = await findReplicated(key)
      if (!concurrent) throw idempotencyInProgress()
      return replay(concurrent, key.fingerprint)
    },
  }
}
