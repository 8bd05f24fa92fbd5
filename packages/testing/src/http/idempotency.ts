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
  /** The JSON text, or `undefined` if the response has no body. */
  readonly text: string | undefined
  /** The text that a replay returns instead of `text`, if `text` contains a secret. */
  readonly replayedText?: string
  /** The headers that only a replay has, in addition to `headers`. */
  readonly replayHeaders?: Readonly<Record<string, string>>
}

/** A request with an idempotency key. */
export interface IdempotentRequest {
  readonly principal: Principal
  readonly method: string
  readonly path: string
  readonly key: string
  readonly body: unknown
  /** `false` for operations whose responses always contain a secret. Such responses are never replayed. */
  readonly isReplayable: boolean
}

const identify = ({ principal, method, path, key, body }: Omit<IdempotentRequest, 'isReplayable'>) => ({
  id: JSON.stringify([principal.userId, toIdempotentOperation(principal.mode, method, path), key]),
  fingerprint: fingerprintRequest(principal.projectId, body),
})

/**
 * Binds an idempotency key to its request without storing a response. Used by operations that store a response per item.
 *
 * @throws {ApiError} `idempotency_key_reused`.
 */
export const claimKey = ({ store, clock }: MockContext, request: Omit<IdempotentRequest, 'isReplayable'>): void => {
  const { id, fingerprint } = identify(request)
  const stored = store.responses.get(id)
  const isCurrent = stored !== undefined && stored.storedAt > clock.now() - idempotencyKeyTtlMs
  if (isCurrent && stored.fingerprint !== fingerprint) throw idempotencyKeyReused()
  if (!isCurrent) store.responses.set(id, { fingerprint, storedAt: clock.now(), response: undefined })
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
  const { id, fingerprint } = identify(request)
  const stored = responses.get(id)
  if (stored && !stored.response) throw idempotencyInProgress()
  if (stored?.response && stored.storedAt > context.clock.now() - idempotencyKeyTtlMs) {
    if (stored.fingerprint !== fingerprint) throw idempotencyKeyReused()
    if (!request.isReplayable) throw idempotencyNotReplayable(stored.response.headers)
    return { ...stored.response, headers: { ...stored.response.headers, ...replayedHeaders } }
  }
  responses.set(id, { fingerprint, storedAt: context.clock.now(), response: undefined })
  try {
    // Awaits the result only if it is a promise, so that a synchronous result is stored before any other request can run.
    const result = work()
    const { replayedText, replayHeaders, ...response } = result instanceof Promise ? await result : result
    const replay = { ...response, headers: { ...response.headers, ...replayHeaders }, text: replayedText ?? response.text }
    responses.set(id, { fingerprint, storedAt: context.clock.now(), response: replay })
    return response
  } catch (error) {
    responses.delete(id)
    throw error
  }
}
