import {
  expiredFailure,
  type Failure,
  isSameHealth,
  type ReportedReceipt,
  simulateAttempt,
  toReceipt,
  updateHealthAfterDelivery,
} from '@flowpost/domain'
import type { EventLog } from '../events/event-log.ts'
import type { DeliveryFaults } from '../faults/delivery-faults.ts'
import { cancelExpired, failSuppressed } from '../features/change-deliveries.ts'
import { hasCredential, hasOwnCredential } from '../features/plan-notification.ts'
import { findSuppression } from '../features/suppressions.ts'
import { type MockContext, providerOf, timestamp } from '../state/mock-context.ts'
import type { DeliveryRecord } from '../state/store.ts'
import type { CompletionTracker } from './completion.ts'
import { decideMockRetry } from './decide-retry.ts'
import { type SentMessage, toSentMessage } from './outbox.ts'

/** Simulates sending deliveries to their providers when they are due. */
export interface Dispatcher {
  /**
   * Queues a delivery. If the delivery is due, the next {@link Dispatcher.run} starts it. Otherwise it starts when it
   * becomes due.
   */
  enqueue(delivery: DeliveryRecord): void
  /** Starts every due delivery. Expired deliveries are canceled instead, and deliveries to suppressed recipients fail. */
  run(): void
}

type Outcome =
  | {
      readonly status: 'sent'
      readonly providerMessageId: string | null
      readonly response: string
      readonly receipt?: ReportedReceipt | undefined
    }
  | { readonly status: 'retrying'; readonly failure: Failure; readonly at: Date }
  | { readonly status: 'failed' | 'ambiguous'; readonly failure: Failure }

const missingCredential: Failure = {
  kind: 'credential',
  code: 'integration_missing',
  detail: 'There is no credential to send with.',
  retryable: false,
}

/** Creates a dispatcher that uses the mock's clock and no network. */
export const createDispatcher = (
  context: MockContext,
  deps: { faults: DeliveryFaults; completion: CompletionTracker; events: EventLog; outbox: SentMessage[] },
): Dispatcher => {
  const { clock, settings } = context
  const { faults, completion, events, outbox } = deps
  let due: DeliveryRecord[] = []

  const decideOutcome = (
    delivery: DeliveryRecord,
    failure: Failure | undefined,
    { retryAfterMs, receipt }: { readonly retryAfterMs: number | undefined; readonly receipt: ReportedReceipt | undefined },
  ): Outcome => {
    if (!failure) return { status: 'sent', ...createProviderResponse(context, delivery), receipt }
    const decision = decideMockRetry(context, {
      failure,
      attemptNumber: delivery.attempt_count - delivery.attemptsBeforeBudget,
      elapsedMs: clock.now() - (delivery.firstAttemptAt ?? clock.now()),
      retryAfterMs,
      ambiguousPolicy: settings.ambiguous,
    })
    return decision.retry
      ? { status: 'retrying', failure, at: new Date(clock.now() + decision.delayMs) }
      : { status: decision.status, failure }
  }

  const updateHealth = (delivery: DeliveryRecord): void => {
    const flow = context.store.flows.get(delivery.flow_id)
    if (!flow || delivery.captured || (delivery.status !== 'sent' && delivery.status !== 'failed')) return
    // The flow's provider has changed since the message was queued, so the outcome says nothing about the new provider.
    if (delivery.source_type !== flow.source_type) return
    const outcome = { toFlowTarget: delivery.target === flow.target, ...(delivery.failure ? { failure: delivery.failure } : {}) }
    const condition = updateHealthAfterDelivery(flow.condition, outcome, timestamp(context))
    if (isSameHealth(flow.condition, condition)) return
    const after = { ...flow, condition }
    context.store.flows.set(flow.id, after)
    events.recordHealth(after, flow.condition)
  }

  const finishAttempt = (delivery: DeliveryRecord, outcome: Outcome, startedAt: number): void => {
    // Any other status means that the recipient was erased during the attempt.
    if (delivery.status !== 'sending') return
    const attempt = delivery.attempts.at(-1)
    if (attempt) {
      attempt.duration_ms = clock.now() - startedAt
      attempt.outcome = outcome.status === 'sent' && delivery.captured ? 'captured' : outcome.status
      attempt.provider_response = outcome.status === 'sent' ? outcome.response : `${outcome.failure.code}: ${outcome.failure.detail}`
    }
    const expires = outcome.status === 'retrying' && outcome.at.getTime() >= expiryOf(delivery)
    const isCanceled = outcome.status === 'retrying' && (delivery.cancelRequested || expires)
    delivery.status = isCanceled ? 'canceled' : outcome.status
    if (outcome.status === 'sent') delivery.failure = null
    else delivery.failure = expires ? expiredFailure : outcome.failure
    delivery.next_attempt_at = outcome.status === 'retrying' && !isCanceled ? outcome.at.toISOString() : null
    if (outcome.status === 'sent') {
      delivery.provider_message_id = outcome.providerMessageId
      delivery.sent_at = timestamp(context)
      if (outcome.receipt) delivery.receipt = toReceipt(outcome.receipt, new Date(clock.now()))
      outbox.push(toSentMessage(context, delivery))
    }
    completion.updateStatus(delivery.notification)
    if (outcome.status === 'sent' && outcome.receipt) events.recordReceipt(delivery)
    updateHealth(delivery)
    if (outcome.status === 'retrying' && !isCanceled) enqueue(delivery)
  }

  const startAttempt = (delivery: DeliveryRecord): void => {
    // The delivery may have been canceled or rescheduled while it was queued.
    const isDue = delivery.next_attempt_at === null || Date.parse(delivery.next_attempt_at) <= clock.now()
    if ((delivery.status !== 'queued' && delivery.status !== 'retrying') || !isDue) return
    if (expiryOf(delivery) <= clock.now()) {
      cancelExpired(completion, delivery)
      return
    }
    if (findSuppression(context, delivery.notification.project_id, delivery)) {
      failSuppressed(completion, delivery)
      return
    }
    const startedAt = clock.now()
    delivery.status = 'sending'
    delivery.attempt_count += 1
    delivery.firstAttemptAt ??= startedAt
    delivery.next_attempt_at = null
    delivery.attempts.push({
      id: context.generateId('attempt'),
      number: delivery.attempt_count,
      started_at: timestamp(context),
      duration_ms: null,
      outcome: 'sending',
      provider_response: null,
    })
    completion.updateStatus(delivery.notification)
    const plan = faults.take(delivery.target)
    const simulated = simulate(delivery)
    const failure = findBlockingFailure(delivery) ?? plan.failure ?? simulated?.failure
    const end = () => {
      finishAttempt(delivery, decideOutcome(delivery, failure, { retryAfterMs: plan.retryAfterMs, receipt: simulated?.receipt }), startedAt)
    }
    const durationMs = plan.delayMs + (simulated?.durationMs ?? 0)
    if (durationMs > 0) clock.schedule(end, durationMs)
    else end()
  }

  /** Returns the simulated result of the current attempt if the delivery belongs to a test message. */
  const simulate = (delivery: DeliveryRecord) => {
    const provider = delivery.notification.test ? providerOf(context, delivery.source_type) : undefined
    return provider && simulateAttempt(provider, delivery.target, delivery.attempt_count - delivery.attemptsBeforeBudget)
  }

  /** Returns a failure if the delivery's provider or credential is missing. A captured delivery needs no credential. */
  const findBlockingFailure = (delivery: DeliveryRecord): Failure | undefined => {
    if (!providerOf(context, delivery.source_type))
      return {
        kind: 'credential',
        code: 'provider_not_served',
        detail: `No provider is registered for ${delivery.source_type} anymore.`,
        retryable: false,
      }
    if (delivery.captured) return undefined
    const hasUsableCredential = delivery.isCredentialRemoved ? hasOwnCredential : hasCredential
    return hasUsableCredential(context, delivery.notification.project_id, delivery.source_type) ? undefined : missingCredential
  }

  const enqueue = (delivery: DeliveryRecord): void => {
    const expiresInMs = expiryOf(delivery) - clock.now()
    if (Number.isFinite(expiresInMs)) clock.schedule(() => cancelExpired(completion, delivery), expiresInMs)
    const delayMs = delivery.next_attempt_at === null ? 0 : Date.parse(delivery.next_attempt_at) - clock.now()
    if (delayMs > 0) clock.schedule(() => startAttempt(delivery), delayMs)
    else due.push(delivery)
  }

  const run = (): void => {
    while (due.length > 0) {
      const batch = due
      due = []
      for (const delivery of batch) startAttempt(delivery)
    }
  }

  return { enqueue, run }
}

/** Returns a delivery's expiry in milliseconds since the epoch. No new attempt starts at or after that time. */
const expiryOf = ({ notification }: DeliveryRecord): number =>
  notification.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(notification.expires_at)

/** Returns the message id and the response of a simulated provider that accepts the message. */
const createProviderResponse = (context: MockContext, delivery: DeliveryRecord): { providerMessageId: string | null; response: string } => {
  if (delivery.captured) return { providerMessageId: null, response: 'Captured, not sent.' }
  if (providerOf(context, delivery.source_type)?.kind === 'chat') {
    const ts = `${Math.floor(context.clock.now() / 1000)}.${String(Math.floor(context.random() * 1e6)).padStart(6, '0')}`
    return { providerMessageId: ts, response: JSON.stringify({ ok: true, channel: delivery.target, ts }) }
  }
  return { providerMessageId: `<${delivery.id}@flowpost.test>`, response: '250 2.0.0 Ok: queued' }
}
