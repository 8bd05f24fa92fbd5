import {
  fingerprintRequest,
  idempotencyInProgress,
  idempotencyKeyReused,
  idempotencyKeyTtlMs,
  idempotencyNotReplayable,
  replayedHeaders,
} from '@flowpost/contract/rules'
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
  const fingerprint = fingerprintRequest(request.principal.projectId, request.body)
  const kept = answers.get(id)
  if (kept && !kept.answer) throw idempotencyInProgress()
  if (kept?.answer && kept.keptAt > world.clock.now() - idempotencyKeyTtlMs) {
    if (kept.fingerprint !== fingerprint) throw idempotencyKeyReused()
    if (!request.isReplayable) throw idempotencyNotReplayable(kept.answer.headers)
    return { ...kept.answer, headers: { ...kept.answer.headers, ...replayedHeaders } }
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
