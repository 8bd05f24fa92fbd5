import { idempotencyInProgress, idempotencyKeyReused, idempotencyKeyTtlMs } from '@flowpost/contract/rules'
import type { Request } from 'express'
import type { Principal } from '../auth/principal.ts'
import type { Database, UnitOfWork } from '../database/database.ts'
import type { Clock } from '../shared/clock.ts'
import {
  type IdempotencyKey,
  type IdempotentResponse,
  keyOf,
  notReplayable,
  replay,
  type StoredResponse,
  type StoredRow,
} from './idempotency-key.ts'

/** Processes requests that have the same idempotency key only once. */
export interface Idempotency {
  /**
   * Runs `work` in a transaction. If the request has a key, the response is stored in the same transaction, so that
   * after a crash, either both the changes and the response exist, or neither does. If `work` throws, the key can be
   * used again.
   * @param options.toStored returns the body to store and replay, for example without a secret. @default the whole body
   * @param options.replayable whether to store the body. Pass `false` if the body contains a secret. Replays are then
   * rejected. @default true
   * @throws ApiError `idempotency_in_progress`, `idempotency_key_reused` or `idempotency_not_replayable`.
   */
  run<Status extends number, Body>(
    request: Request,
    principal: Principal,
    body: unknown,
    work: (transaction: UnitOfWork) => Promise<IdempotentResponse<Status, Body>>,
    options?: { readonly replayable?: boolean; readonly toStored?: (body: Body) => Body },
  ): Promise<IdempotentResponse<Status, Body>>
  /**
   * Runs `work` before {@link Idempotency.run}, for work that cannot run in its transaction. Skips the work if the
   * request's key has a stored response. If the work fails, looks for the response again: a concurrent request with the
   * same key may have stored it and made the changes because of which the work failed.
   * @returns the result of the work; `undefined` if there is a stored response, which `run` then returns.
   * @throws ApiError `idempotency_key_reused` or `idempotency_not_replayable`.
   */
  prepare<Result>(key: IdempotencyKey | undefined, work: () => Promise<Result>): Promise<Result | undefined>
  /**
   * Returns the response stored under a key, if any. Some work, such as a network request, cannot run in the transaction that
   * stores the response. Call this function before such work, and skip the work if a response is found.
   * @throws ApiError `idempotency_key_reused` or `idempotency_not_replayable`.
   */
  find<Status extends number, Body>(key: IdempotencyKey): Promise<IdempotentResponse<Status, Body> | undefined>
  /**
   * Returns the stored responses of several idempotency keys, keyed by {@link IdempotencyKey.lock}. All idempotency keys
   * must belong to one user.
   */
  findAll(keys: readonly IdempotencyKey[]): Promise<ReadonlyMap<string, StoredRow>>
  /**
   * Reserves a key for its request without storing a response. Use this function for batches, because a batch stores a
   * response for each item instead.
   * @throws ApiError `idempotency_key_reused` if a different request has used the key.
   */
  claim(key: IdempotencyKey): Promise<void>
  /** Returns the row to store for a response. */
  toStoredResponse(key: IdempotencyKey, response: IdempotentResponse<number, unknown>): StoredResponse
  /** Returns the cutoff: responses stored at or before this time have expired. */
  oldest(): Date
}

const findKey = {
  name: 'find-idempotency-key',
  text: `select fingerprint, status, headers, body from idempotency_keys
    where user_id = $1 and operation = $2 and key = $3 and created_at > $4`,
}

// Reads all keys of a batch in one statement.
const findKeys = {
  name: 'find-idempotency-keys',
  text: `select key, operation, fingerprint, status, headers, body from idempotency_keys
    where user_id = $1 and key = any($2) and operation = any($3) and created_at > $4`,
}

const claimKey = {
  name: 'claim-idempotency-key',
  text: `insert into idempotency_keys as stored (user_id, operation, key, fingerprint, status, headers, body, created_at)
    values ($1, $2, $3, $4, 200, '{}', '${notReplayable}', $5)
    on conflict (user_id, operation, key) do update set
      fingerprint = case when stored.created_at > $6 then stored.fingerprint else excluded.fingerprint end,
      created_at = case when stored.created_at > $6 then stored.created_at else excluded.created_at end
    returning fingerprint`,
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

  // Waits until the standby has the stored response. Otherwise, a failover could lose the response after it was replayed.
  const findReplicated = async (key: IdempotencyKey): Promise<StoredRow | undefined> => {
    const stored = await findStored(database, key)
    if (stored) await database.awaitReplication()
    return stored
  }

  const find: Idempotency['find'] = async (key) => {
    const stored = await findReplicated(key)
    return stored && replay(stored, key.fingerprint)
  }

  return {
    oldest,
    find,
    prepare: async (key, work) => {
      if (key && (await find(key))) return undefined
      try {
        return await work()
      } catch (error) {
        if (key && (await find(key))) return undefined
        throw error
      }
    },
    findAll: async (keys) => {
      const [first] = keys
      if (!first) return new Map()
      const operations = [...new Set(keys.map(({ id: [, operation] }) => operation))]
      const values = [first.id[0], keys.map(({ id: [, , key] }) => key), operations, oldest()]
      const rows = await database.query<StoredRow & { operation: string; key: string }>(findKeys, values)
      if (rows.length > 0) await database.awaitReplication()
      const byId = new Map(rows.map((row) => [`${row.operation} ${row.key}`, row]))
      return new Map(
        keys.flatMap(({ id: [, operation, key], lock }) => {
          const row = byId.get(`${operation} ${key}`)
          return row ? [[lock, row] as const] : []
        }),
      )
    },
    claim: async (key) => {
      const [claimed] = await database.query<Pick<StoredRow, 'fingerprint'>>(claimKey, [...key.id, key.fingerprint, clock.now(), oldest()])
      if (claimed && !key.fingerprint.equals(claimed.fingerprint)) throw idempotencyKeyReused()
    },
    toStoredResponse: (key, response) => toStoredResponse(key, response, true),
    run: async (request, principal, body, work, { replayable = true, toStored } = {}) => {
      const key = keyOf(request, principal, body)
      if (!key) return database.unitOfWork(work)
      const earlier = await findReplicated(key)
      if (earlier) return replay(earlier, key.fingerprint)
      const result = await database.unitOfWork(async (transaction) => {
        // The lock marks the key as in progress. PostgreSQL releases it when the transaction ends, even if this process dies.
        const [row] = await transaction.query<{ free: boolean }>('select pg_try_advisory_xact_lock($1::bigint) as free', [key.lock])
        if (!row?.free) throw idempotencyInProgress()
        // Another request may have used the key since `earlier` was read.
        if (await findStored(transaction, key)) return undefined
        const response = await work(transaction)
        const stored = toStoredResponse(key, { ...response, body: toStored ? toStored(response.body) : response.body }, replayable)
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
