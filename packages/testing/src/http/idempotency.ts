import {
  fingerprintRequest,
  idempotencyInProgress,
  idempotencyKeyReused,
  idempotencyKeyTtlMs,
  idempotencyNotReplayable,
  replayedHeaders,
  toIdempotentOperation,
} from '@flowpost/contract/rules'
import type { MockContext } from '../state/mock-context.ts'
import type { Principal } from './handler.ts'

/** A serialized response. */
export interface WrittenResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The JSON text; `undefined` without a body. */
  readonly text: string | undefined
}

/** A request with an idempotency key. */
export interface IdempotentRequest {
  readonly principal: Principal
  readonly method: string
  readonly path: string
  readonly key: string
  readonly body: unknown
  /** `false` for a response with a secret, which must not be replayed. */
  readonly isReplayable: boolean
}

/**
 * Executes a request once per idempotency key. Only successful responses are stored; an error releases the key.
 *
 * @throws {ApiError} `idempotency_in_progress`, `idempotency_key_reused` or `idempotency_not_replayable`.
 */
export const runIdempotent = async (
  context: MockContext,
  request: IdempotentRequest,
  work: () => WrittenResponse | Promise<WrittenResponse>,
): Promise<WrittenResponse> => {
  const { responses } = context.store
  const { userId, mode } = request.principal
  const id = JSON.stringify([userId, toIdempotentOperation(mode, request.method, request.path), request.key])
  const fingerprint = fingerprintRequest(request.principal.projectId, request.body)
  const stored = responses.get(id)
  if (stored && !stored.response) throw idempotencyInProgress()
  if (stored?.response && stored.storedAt > context.clock.now() - idempotencyKeyTtlMs) {
    if (stored.fingerprint !== fingerprint) throw idempotencyKeyReused()
    if (!request.isReplayable) throw idempotencyNotReplayable(stored.response.headers)
    return { ...stored.response, headers: { ...stored.response.headers, ...replayedHeaders } }
  }
  responses.set(id, { fingerprint, storedAt: context.clock.now(), response: undefined })
  try {
    // Does not await synchronous work, so that no other request runs in between.
    const result = work()
    const response = result instanceof Promise ? await result : result
    responses.set(id, { fingerprint, storedAt: context.clock.now(), response })
    return response
  } catch (error) {
    responses.delete(id)
    throw error
  }
}
