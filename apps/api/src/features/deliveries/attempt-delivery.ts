import { type Courier, captureMessage, DeliveryError, type OutgoingMessage, type Provider, type Registry } from '@flowpost/delivery'
import { decideRetry, type RetryPolicy } from '@flowpost/domain'
import type { Logger } from 'pino'
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
  /** Whether messages are kept beyond delivery. */
  readonly logContent: boolean
  readonly log: Logger
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
  // Until it is known whose the credential is, nobody is told what its server said.
  let keepsAnswer = false
  try {
    const provider = providerOf(deps.registry, attempt.source_type)
    const message = toMessage(attempt)
    const found = await deps.credentials.find(deps.database, {
      userId: attempt.user_id,
      projectId: attempt.project_id,
      sourceType: attempt.source_type,
      ownOnly: attempt.credential_removed,
    })
    if (attempt.captured) {
      const captured = await captureMessage(provider, message, found?.settings)
      return {
        outcome: { status: 'sent', kind: provider.kind, providerMessageId: null, response: 'Captured, not sent.', captured },
      }
    }
    if (!found) throw new DeliveryError({ kind: 'credential', code: 'integration_missing', detail: 'There is no credential to send with.' })
    credentialId = found.id
    const credential = found.open()
    // A server may tell names and addresses of the network it stands in, which are no tenant's to know; and it may echo the message.
    keepsAnswer = credential.trusted !== true && deps.logContent
    const { providerMessageId, response, code } = await deps.courier.deliver({ provider, credential, message, signal })
    const shown = keepsAnswer ? response : (code ?? response)
    return { outcome: { status: 'sent', kind: provider.kind, providerMessageId, response: shown }, credentialId }
  } catch (error) {
    const outcome = afterFailure(deps, attempt, error, keepsAnswer)
    return credentialId === undefined ? { outcome } : { outcome, credentialId }
  }
}

const toDeliveryError = (error: unknown): DeliveryError =>
  error instanceof DeliveryError
    ? error
    : new DeliveryError({ kind: 'provider', code: 'internal', detail: 'The message could not be prepared.' })

const afterFailure = (deps: AttemptDeps, attempt: BegunAttempt, error: unknown, keepsAnswer: boolean): Outcome => {
  const fault = toDeliveryError(error)
  const failure = fault.toFailure()
  const { code, detail } = failure
  const { retryAfterMs, answer } = fault
  deps.log.debug({ delivery: toId('delivery', attempt.id), code, answer }, 'An attempt has failed.')
  const response = `${code}: ${keepsAnswer ? (answer ?? detail) : detail}`
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
  return decision.retry ? { status: 'retrying', failure, response, at: decision.at } : { status: decision.status, failure, response }
}
