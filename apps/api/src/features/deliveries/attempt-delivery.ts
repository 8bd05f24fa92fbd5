import { type Courier, captureMessage, DeliveryError, type OutgoingMessage, type Provider, type Registry } from '@flowpost/delivery'
import { decideRetry, type Failure, type RetryPolicy } from '@flowpost/domain'
import { type Database, instant } from '../../database/database.ts'
import type { Clock } from '../../shared/clock.ts'
import { toId } from '../../shared/ids.ts'
import type { Credentials } from '../integrations/credentials.ts'
import type { BegunAttempt } from './begin-attempts.ts'
import type { Outcome } from './outcome.ts'

/** What an attempt needs. */
export interface AttemptDeps {
  readonly database: Database
  readonly registry: Registry
  readonly courier: Courier
  readonly credentials: Credentials
  readonly clock: Clock
  /** Uniform in [0, 1). */
  readonly random: () => number
  readonly retryPolicy: RetryPolicy
  /** What becomes of a message of which nobody knows whether it was accepted. */
  readonly ambiguous: 'retry' | 'hold'
}

const toMessage = (attempt: BegunAttempt): OutgoingMessage => {
  if (attempt.content === null)
    throw new DeliveryError({ kind: 'content', code: 'content_expired', detail: 'The message is no longer kept.' })
  return {
    deliveryId: toId('delivery', attempt.id),
    attemptNumber: attempt.attempt_count,
    createdAt: instant(attempt.created_at),
    target: attempt.target,
    content: attempt.content,
  }
}

const providerOf = (registry: Registry, sourceType: string): Provider => {
  const provider = registry.get(sourceType)
  if (provider) return provider
  throw new DeliveryError({
    kind: 'credential',
    code: 'provider_not_served',
    detail: `This deployment no longer serves ${sourceType}.`,
  })
}

/** How an attempt ended, and through which credential it was made, if it came so far. */
export interface AttemptResult {
  readonly outcome: Outcome
  readonly credentialId?: string
}

/** Makes one attempt: sends, or captures, and says how it ended. Never rejects. */
export const attemptDelivery = async (deps: AttemptDeps, attempt: BegunAttempt, signal: AbortSignal): Promise<AttemptResult> => {
  let credentialId: string | undefined
  try {
    const provider = providerOf(deps.registry, attempt.source_type)
    const message = toMessage(attempt)
    const found = await deps.credentials.find(deps.database, {
      userId: attempt.user_id,
      projectId: attempt.project_id,
      sourceType: attempt.source_type,
    })
    if (attempt.captured) {
      const captured = await captureMessage(provider, message, found?.settings)
      return {
        outcome: { status: 'sent', kind: provider.kind, providerMessageId: null, response: 'Captured, not sent.', captured },
      }
    }
    if (!found) throw new DeliveryError({ kind: 'credential', code: 'integration_missing', detail: 'There is no credential to send with.' })
    credentialId = found.id
    const { providerMessageId, response } = await deps.courier.deliver({ provider, credential: found.open(), message, signal })
    return { outcome: { status: 'sent', kind: provider.kind, providerMessageId, response }, credentialId }
  } catch (error) {
    const outcome = afterFailure(deps, attempt, error)
    return credentialId === undefined ? { outcome } : { outcome, credentialId }
  }
}

const toFailure = (error: unknown): { failure: Failure; retryAfterMs?: number } => {
  if (!(error instanceof DeliveryError))
    return { failure: { kind: 'provider', code: 'internal', detail: 'The message could not be prepared.', retryable: true } }
  return { failure: error.toFailure(), ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }) }
}

const afterFailure = (deps: AttemptDeps, attempt: BegunAttempt, error: unknown): Outcome => {
  const { failure, retryAfterMs } = toFailure(error)
  const decision = decideRetry({
    failure,
    attemptNumber: attempt.attempt_count,
    firstAttemptAt: instant(attempt.first_attempt_at),
    now: deps.clock.now(),
    random: deps.random,
    policy: deps.retryPolicy,
    ambiguousPolicy: deps.ambiguous,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
  return decision.retry ? { status: 'retrying', failure, at: decision.at } : { status: decision.status, failure }
}
