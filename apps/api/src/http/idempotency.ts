import { createHash } from 'node:crypto'
import { idempotencyKeptMs, requestFingerprint } from '@flowpost/domain'
import type { Request } from 'express'
import type { Database, Transaction } from '../database/database.ts'
import { ApiError } from '../shared/api-error.ts'
import type { Clock } from '../shared/clock.ts'
import type { Principal } from '../shared/principal.ts'

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
    work: (transaction: Transaction) => Promise<Answer<Status, Body>>,
    options?: { readonly replayable?: boolean },
  ): Promise<Answer<Status, Body>>
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

const replayed = { 'Idempotency-Replayed': 'true' }

export const createIdempotency = (deps: { database: Database; clock: Clock }): Idempotency => {
  const { database, clock } = deps

  const stored = async (on: Pick<Database, 'query'>, id: readonly string[]): Promise<StoredAnswer | undefined> => {
    const oldest = new Date(clock.now().getTime() - idempotencyKeptMs)
    const rows = await on.query<StoredAnswer>(
      `select fingerprint, status, headers, body from idempotency_keys
       where user_id = $1 and operation = $2 and key = $3 and created_at > $4`,
      [...id, oldest],
    )
    return rows[0]
  }

  const replay = <Status extends number, Body>(answer: StoredAnswer, fingerprint: Buffer): Answer<Status, Body> => {
    if (!fingerprint.equals(answer.fingerprint))
      throw new ApiError('idempotency_key_reused', 'This Idempotency-Key was used with another body. Use a new key for a new request.')
    if (answer.body === notKept)
      throw new ApiError(
        'idempotency_not_replayable',
        'The request with this Idempotency-Key was carried out. Its answer held a secret, so it was not kept. If it was lost, delete what was made, which `Location` names, and send a new request with a new key.',
        { headers: { ...answer.headers, ...replayed } },
      )
    return { status: answer.status as Status, body: JSON.parse(answer.body) as Body, headers: { ...answer.headers, ...replayed } }
  }

  return {
    run: async (request, principal, body, work, { replayable = true } = {}) => {
      const key = request.get('idempotency-key')
      if (key === undefined) return database.transaction(work)
      const id = [principal.userId, `${request.method} ${request.path}`, key] as const
      const fingerprint = sha256(requestFingerprint(principal.projectId, body))
      const before = await stored(database, id)
      if (before) return replay(before, fingerprint)
      return database.transaction(async (transaction) => {
        // The lock lives as long as the transaction, so a process that dies leaves no key in progress.
        const lock = sha256(JSON.stringify(id)).readBigInt64BE().toString()
        const [row] = await transaction.query<{ free: boolean }>('select pg_try_advisory_xact_lock($1::bigint) as free', [lock])
        if (!row?.free)
          throw new ApiError('idempotency_in_progress', 'A request with this Idempotency-Key is still in progress.', {
            headers: { 'Retry-After': '1' },
          })
        const meanwhile = await stored(transaction, id)
        if (meanwhile) return replay(meanwhile, fingerprint)
        const answer = await work(transaction)
        await transaction.query(
          `insert into idempotency_keys (user_id, operation, key, fingerprint, status, headers, body, created_at)
           values ($1, $2, $3, $4, $5, $6::jsonb, $7, $8)
           on conflict (user_id, operation, key) do update set fingerprint = excluded.fingerprint, status = excluded.status,
             headers = excluded.headers, body = excluded.body, created_at = excluded.created_at`,
          [
            ...id,
            fingerprint,
            answer.status,
            JSON.stringify(answer.headers ?? {}),
            replayable ? JSON.stringify(answer.body) : notKept,
            clock.now(),
          ],
        )
        return answer
      })
    },
  }
}
