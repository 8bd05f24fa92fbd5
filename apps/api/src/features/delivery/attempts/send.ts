import {
  type ComposedMessage,
  captureMessage,
  DeliveryError,
  type OutgoingMessage,
  type Provider,
  type ProviderClient,
  type Registry,
} from '@flowpost/delivery'
import { type ChannelKind, decideRetry, type Failure, type ReportedReceipt, type RetryPolicy } from '@flowpost/domain'
import type { Logger } from 'pino'
import { type Database, instant } from '../../../database/database.ts'
import { toId } from '../../../shared/ids.ts'
import type { Credentials } from '../../integrations/credentials.ts'
import { breakerKeyOf } from '../throttle/circuit-breaker.ts'
import { requireSimulatedSuccess, simulatedDurationMs } from './simulate-attempt.ts'
import { interruptedDetail, type StartedAttempt } from './start-attempts.ts'

/** The outcome of an attempt. */
export type Outcome =
  | {
      readonly status: 'sent'
      readonly providerMessageId: string | null
      readonly response: string
      readonly captured?: ComposedMessage
      readonly kind: ChannelKind
      /** The receipt that a simulated recipient sends. */
      readonly receipt?: ReportedReceipt
    }
  | { readonly status: 'retrying'; readonly failure: Failure; readonly response: string; readonly delayMs: number }
  | { readonly status: 'failed' | 'ambiguous'; readonly failure: Failure; readonly response: string }

/** Returns the name of an outcome, as used in attempts and metrics. */
export const outcomeName = (outcome: Outcome): string => (outcome.status === 'sent' && outcome.captured ? 'captured' : outcome.status)

/** The dependencies of {@link send}. */
export interface SendDeps {
  readonly database: Database
  readonly registry: Registry
  readonly providerClient: ProviderClient
  readonly credentials: Credentials
  /** Returns a uniformly distributed random number in [0, 1). */
  readonly random: () => number
  readonly retryPolicy: RetryPolicy
  /** Whether to retry or hold a message when the provider's response is lost. */
  readonly ambiguous: 'retry' | 'hold'
  /** Whether messages remain stored after their deliveries are completed. */
  readonly logContent: boolean
  readonly log: Logger
}

const toMessage = (attempt: StartedAttempt): OutgoingMessage => {
  if (attempt.content === null)
    throw new DeliveryError({ kind: 'content', code: 'content_expired', detail: 'The message is no longer stored.' })
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
    detail: `No provider is registered for ${sourceType} anymore.`,
  })
}

/** The outcome and duration of an attempt, and the circuit breaker that it concerns. */
export interface SendResult {
  readonly outcome: Outcome
  /** The duration of the attempt in milliseconds; `null` if it is unknown because the attempt was interrupted. */
  readonly durationMs: number | null
  /**
   * The key of the circuit breaker for the message. Absent if the message was captured, or if the attempt failed before a
   * credential was found.
   */
  readonly breakerKey?: string
  /**
   * Whether the error of a failed attempt has a `providerResponse`. This usually contains the provider's response. For a
   * retryable error of the kind `provider` or `ambiguous`, it may contain the message of a network error instead.
   */
  readonly isAnswered?: boolean
  /** The wait that the provider requested, in milliseconds. */
  readonly retryAfterMs?: number | undefined
}

/**
 * Sends or captures an attempt's message. Never rejects. Test messages are not sent; their outcome is simulated. For all
 * other messages, if the attempt was interrupted earlier (`is_interrupted`), nothing is sent, and the outcome is a failure.
 */
export const send = async (deps: SendDeps, attempt: StartedAttempt, signal: AbortSignal): Promise<SendResult> => {
  const startedMs = performance.now()
  const durationMs = (): number | null => {
    const passedMs = performance.now() - startedMs
    if (attempt.test) return simulatedDurationMs(deps.registry.get(attempt.source_type), attempt, passedMs)
    return attempt.is_interrupted ? null : Math.round(passedMs)
  }
  const resultOf = (outcome: Outcome): SendResult => ({
    outcome,
    durationMs: durationMs(),
    ...(breakerKey === undefined ? {} : { breakerKey }),
  })
  let breakerKey: string | undefined
  // Set before the provider is called.
  let storesResponse = false
  try {
    if (attempt.is_interrupted && !attempt.test) {
      // `FLOWPOST_AMBIGUOUS=hold` forbids a retry if the message may have been sent. A captured message is never sent, so it
      // may be retried.
      throw new DeliveryError({ kind: attempt.captured ? 'provider' : 'ambiguous', code: 'interrupted', detail: interruptedDetail })
    }
    const provider = providerOf(deps.registry, attempt.source_type)
    const message = toMessage(attempt)
    const found = await deps.credentials.find(deps.database, {
      userId: attempt.user_id,
      projectId: attempt.project_id,
      sourceType: attempt.source_type,
      ownOnly: attempt.own_credential_only,
    })
    if (attempt.captured) {
      const receipt = attempt.test ? requireSimulatedSuccess(provider, attempt) : undefined
      // If the provider cannot compose the message, its error may repeat the message.
      storesResponse = deps.logContent
      const captured = await captureMessage(provider, message, found?.settings)
      return resultOf({
        status: 'sent',
        kind: provider.kind,
        providerMessageId: null,
        response: 'Captured, not sent.',
        captured,
        ...(receipt ? { receipt } : {}),
      })
    }
    if (!found) throw new DeliveryError({ kind: 'credential', code: 'integration_missing', detail: 'There is no credential to send with.' })
    breakerKey = breakerKeyOf(provider, found.id, attempt.target)
    const credential = found.open()
    // The response is not stored in two cases:
    // - The credential is trusted: it belongs to the deployment. The response may reveal names and addresses in the
    //   deployment's network.
    // - `logContent` is off. The response may repeat the message, which must not remain stored.
    storesResponse = credential.trusted !== true && deps.logContent
    const { providerMessageId, response, code } = await deps.providerClient.deliver({ provider, credential, message, signal })
    // If the response must not be stored, `code` is stored instead. Without `code`, the response is always stored, because
    // providers omit `code` only if their responses reveal nothing.
    const shown = storesResponse ? response : (code ?? response)
    return resultOf({ status: 'sent', kind: provider.kind, providerMessageId, response: shown })
  } catch (error) {
    const elapsedMs = attempt.elapsed_ms + performance.now() - startedMs
    const deliveryError = toDeliveryError(deps, attempt, error)
    const { providerResponse, retryAfterMs } = deliveryError
    const outcome = outcomeOf(deps, attempt, deliveryError, { elapsedMs, storesResponse })
    return { ...resultOf(outcome), isAnswered: providerResponse !== undefined, retryAfterMs }
  }
}

// A `DeliveryError` does not contain the cause of an unexpected error, so the cause is logged here.
const toDeliveryError = (deps: SendDeps, attempt: StartedAttempt, error: unknown): DeliveryError => {
  if (error instanceof DeliveryError) return error
  deps.log.error({ err: error, delivery_id: toId('delivery', attempt.id) }, 'Could not prepare a message.')
  return new DeliveryError({ kind: 'provider', code: 'internal', detail: 'The message could not be prepared.' })
}

const outcomeOf = (
  deps: SendDeps,
  attempt: StartedAttempt,
  deliveryError: DeliveryError,
  { elapsedMs, storesResponse }: { readonly elapsedMs: number; readonly storesResponse: boolean },
): Outcome => {
  const failure = deliveryError.toFailure()
  const { code, detail } = failure
  const { retryAfterMs, providerResponse } = deliveryError
  const logged = deps.logContent ? { provider_response: providerResponse } : {}
  deps.log.debug({ delivery_id: toId('delivery', attempt.id), code, ...logged }, 'Attempt failed.')
  const response = `${code}: ${storesResponse ? (providerResponse ?? detail) : detail}`
  const decision = decideRetry({
    failure,
    attemptNumber: attempt.attempt_in_budget,
    elapsedMs,
    random: deps.random,
    policy: deps.retryPolicy,
    ambiguousPolicy: deps.ambiguous,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  })
  return decision.retry
    ? { status: 'retrying', failure, response, delayMs: decision.delayMs }
    : { status: decision.status, failure, response }
}
