import { createHash } from 'node:crypto'
import {
  buildOperationPath,
  fingerprintRequest,
  idempotencyInProgress,
  idempotencyKeyReused,
  idempotencyKeyTtlMs,
  idempotencyNotReplayable,
  replayedHeaders,
} from '@flowpost/contract/rules'
import type { Request } from 'express'
import type { Principal } from '../auth/principal.ts'
import type { Database, UnitOfWork } from '../database/database.ts'
import type { Clock } from '../shared/clock.ts'

/** An answer that can be given again. */
export interface Answer<Status extends number, Body> {
  readonly status: Status
  readonly body: Body
  readonly headers?: Readonly<Record<string, string>>
}

/** Runs the work of a POST once for each idempotency key. */
export interface Idempotency {
  /**
   * Runs `work` in a transaction and, when the request has a key, stores its answer in the same
   * transaction: after a crash there is either both or nothing. Work that throws frees the key.
   * @param options.replayable `false` for an answer with a secret: its body is not stored, and a replay is refused.
   * @throws ApiError `idempotency_in_progress`, `idempotency_key_reused` or `idempotency_not_replayable`.
   */
  run<Status extends number, Body>(
    request: Request,
    principal: Principal,
    body: unknown,
    work: (transaction: UnitOfWork) => Promise<Answer<Status, Body>>,
    options?: { readonly replayable?: boolean },
  ): Promise<Answer<Status, Body>>
  /**
   * For who does the work and stores the answer with it in a way of their own: the key of a request, if it has one, and
   * the answer that was given under it already.
   * @throws ApiError `idempotency_key_reused` or `idempotency_not_replayable`.
   */
  find<Status extends number, Body>(
    request: Request,
    principal: Principal,
    body: unknown,
  ): Promise<{ readonly claim: ClaimedKey | undefined; readonly answer: Answer<Status, Body> | undefined }>
  /** What is to be stored for an answer. */
  toKept(claim: ClaimedKey, answer: Answer<number, unknown>): KeyedAnswer
  /** Answers from before this are no longer kept. */
  oldest(): Date
}

/** Which request a key stands for, before its work is done. */
export interface ClaimedKey {
  /** User, operation and key. */
  readonly id: readonly [string, string, string]
  readonly fingerprint: Buffer
  /** The advisory lock that who does the work holds, as long as its transaction lives. */
  readonly lock: string
}

/** An answer as it is stored under its key. */
export interface KeyedAnswer extends ClaimedKey {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly createdAt: Date
}

// What is stored for an answer that is not kept; no JSON text is empty.
const notKept = ''

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

interface StoredAnswer {
  readonly fingerprint: Uint8Array
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

const findKey = {
  name: 'find-idempotency-key',
  text: `select fingerprint, status, headers, body from idempotency_keys
    where user_id = $1 and operation = $2 and key = $3 and created_at > $4`,
}

export const createIdempotency = (deps: { database: Database; clock: Clock }): Idempotency => {
  const { database, clock } = deps

  const oldest = () => new Date(clock.now().getTime() - idempotencyKeyTtlMs)

  const stored = async (on: Pick<Database, 'query'>, id: readonly string[]): Promise<StoredAnswer | undefined> => {
    const rows = await on.query<StoredAnswer>(findKey, [...id, oldest()])
    return rows[0]
  }

  const replay = <Status extends number, Body>(answer: StoredAnswer, fingerprint: Buffer): Answer<Status, Body> => {
    if (!fingerprint.equals(answer.fingerprint)) throw idempotencyKeyReused()
    if (answer.body === notKept) throw idempotencyNotReplayable(answer.headers)
    return { status: answer.status as Status, body: JSON.parse(answer.body) as Body, headers: { ...answer.headers, ...replayedHeaders } }
  }

  const claimOf = (request: Request, principal: Principal, body: unknown): ClaimedKey | undefined => {
    const key = request.get('idempotency-key')
    if (key === undefined) return undefined
    const { method, path } = (request as Request & { tsRestRoute: { method: string; path: string } }).tsRestRoute
    const params = request.params as Readonly<Record<string, string>>
    const id = [principal.userId, `${method} ${buildOperationPath(path, params)}`, key] as const
    return {
      id,
      fingerprint: sha256(fingerprintRequest(principal.projectId, body)),
      lock: sha256(JSON.stringify(id)).readBigInt64BE().toString(),
    }
  }

  const toKept = (claim: ClaimedKey, answer: Answer<number, unknown>, replayable: boolean): KeyedAnswer => ({
    ...claim,
    status: answer.status,
    headers: answer.headers ?? {},
    body: replayable ? JSON.stringify(answer.body) : notKept,
    createdAt: clock.now(),
  })

  return {
    oldest,
    find: async (request, principal, body) => {
      const claim = claimOf(request, principal, body)
      const before = claim && (await stored(database, claim.id))
      return { claim, answer: before && replay(before, claim.fingerprint) }
    },
    toKept: (claim, answer) => toKept(claim, answer, true),
    run: async (request, principal, body, work, { replayable = true } = {}) => {
      const claim = claimOf(request, principal, body)
      if (!claim) return database.unitOfWork(work)
      const before = await stored(database, claim.id)
      if (before) return replay(before, claim.fingerprint)
      return database.unitOfWork(async (transaction) => {
        // The lock lives as long as the transaction, so a process that dies leaves no key in progress.
        const [row] = await transaction.query<{ free: boolean }>('select pg_try_advisory_xact_lock($1::bigint) as free', [claim.lock])
        if (!row?.free) throw idempotencyInProgress()
        const meanwhile = await stored(transaction, claim.id)
        if (meanwhile) return replay(meanwhile, claim.fingerprint)
        const answer = await work(transaction)
        const kept = toKept(claim, answer, replayable)
        await transaction.query(
          `insert into idempotency_keys (user_id, operation, key, fingerprint, status, headers, body, created_at)
           values ($1, $2, $3, $4, $5, $6::jsonb, $7, $8)
           on conflict (user_id, operation, key) do update set fingerprint = excluded.fingerprint, status = excluded.status,
             headers = excluded.headers, body = excluded.body, created_at = excluded.created_at`,
          [...kept.id, kept.fingerprint, kept.status, JSON.stringify(kept.headers), kept.body, kept.createdAt],
        )
        return answer
      })
    },
  }
}
