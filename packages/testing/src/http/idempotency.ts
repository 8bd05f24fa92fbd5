import { ApiError } from '@flowpost/contract/server'
import { idempotencyKeptMs, requestFingerprint } from '@flowpost/domain'
import type { World } from '../state/world.ts'
import type { Principal } from './call.ts'

/** An answer as it is written. */
export interface WrittenAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The JSON text; `undefined` without a body. */
  readonly text: string | undefined
}

/** The request that a key names. */
export interface KeyedRequest {
  readonly principal: Principal
  readonly method: string
  readonly path: string
  readonly key: string
  readonly body: unknown
  /** `false` for an answer with a secret, which is not kept. */
  readonly isReplayable: boolean
}

const replayed = { 'Idempotency-Replayed': 'true' }

/**
 * Does the work of a request once for each idempotency key. Only an answer that went well is kept; work that throws
 * frees the key.
 * @throws ApiError `idempotency_in_progress`, `idempotency_key_reused` or `idempotency_not_replayable`.
 */
export const runOnce = async (
  world: World,
  request: KeyedRequest,
  work: () => WrittenAnswer | Promise<WrittenAnswer>,
): Promise<WrittenAnswer> => {
  const { answers } = world.store
  const id = JSON.stringify([request.principal.userId, `${request.method} ${request.path}`, request.key])
  const fingerprint = requestFingerprint(request.principal.projectId, request.body)
  const kept = answers.get(id)
  if (kept && !kept.answer)
    throw new ApiError('idempotency_in_progress', 'A request with this Idempotency-Key is still in progress.', {
      headers: { 'Retry-After': '1' },
    })
  if (kept?.answer && kept.keptAt > world.clock.now() - idempotencyKeptMs) {
    if (kept.fingerprint !== fingerprint)
      throw new ApiError('idempotency_key_reused', 'This Idempotency-Key was used with another body. Use a new key for a new request.')
    const headers = { ...kept.answer.headers, ...replayed }
    if (request.isReplayable) return { ...kept.answer, headers }
    throw new ApiError(
      'idempotency_not_replayable',
      'The request with this Idempotency-Key was carried out. Its answer held a secret, so it was not kept. If it was lost, delete what was made, which `Location` names, and send a new request with a new key.',
      { headers },
    )
  }
  answers.set(id, { fingerprint, keptAt: world.clock.now(), answer: undefined })
  try {
    // Not awaited where nothing is waited for, so that no other request comes in between.
    const working = work()
    const answer = working instanceof Promise ? await working : working
    answers.set(id, { fingerprint, keptAt: world.clock.now(), answer })
    return answer
  } catch (error) {
    answers.delete(id)
    throw error
  }
}
