import { decideRetry, type Failure, isSameHealth, updateHealthAfterDelivery } from '@flowpost/domain'
import type { DeliveryFaults } from '../faults/delivery-faults.ts'
import { hasCredential } from '../features/credentials.ts'
import type { DeliveryRecord } from '../state/records.ts'
import { providerOf, timestamp, type World } from '../state/world.ts'
import type { Settlements } from './notification-status.ts'
import { type SentMessage, toSentMessage } from './outbox.ts'
import { acceptedBy } from './provider-answer.ts'

/** Hands deliveries to their providers when they are due. */
export interface Dispatcher {
  /** Takes a delivery; nothing happens to it before {@link Dispatcher.run}, or before its time. */
  enqueue(delivery: DeliveryRecord): void
  /** Begins an attempt at everything that is due. */
  run(): void
}

type Outcome =
  | { readonly status: 'sent'; readonly providerMessageId: string | null; readonly response: string }
  | { readonly status: 'retrying'; readonly failure: Failure; readonly at: Date }
  | { readonly status: 'failed' | 'ambiguous'; readonly failure: Failure }

const withoutCredential: Failure = {
  kind: 'credential',
  code: 'integration_missing',
  detail: 'There is no credential to send with.',
  retryable: false,
}

/** Makes a dispatcher whose deliveries are sent without a network, on the clock of the mock. */
export const createDispatcher = (
  world: World,
  deps: { faults: DeliveryFaults; settlements: Settlements; outbox: SentMessage[] },
): Dispatcher => {
  const { clock, settings } = world
  const { faults, settlements, outbox } = deps
  let due: DeliveryRecord[] = []

  const after = (delivery: DeliveryRecord, failure: Failure | undefined, retryAfterMs: number | undefined): Outcome => {
    if (!failure) return { status: 'sent', ...acceptedBy(world, delivery) }
    const decision = decideRetry({
      failure,
      attemptNumber: delivery.attempt_count,
      elapsedMs: clock.now() - (delivery.firstAttemptAt ?? clock.now()),
      retryAfterMs,
      random: world.random,
      policy: settings.retryPolicy,
      ambiguousPolicy: settings.ambiguous,
    })
    return decision.retry
      ? { status: 'retrying', failure, at: new Date(clock.now() + decision.delayMs) }
      : { status: decision.status, failure }
  }

  const noteHealth = (delivery: DeliveryRecord): void => {
    const flow = world.store.flows.get(delivery.flow_id)
    if (!flow || delivery.captured || (delivery.status !== 'sent' && delivery.status !== 'failed')) return
    const outcome = { toFlowTarget: delivery.target === flow.target, ...(delivery.failure ? { failure: delivery.failure } : {}) }
    const condition = updateHealthAfterDelivery(flow.condition, outcome, timestamp(world))
    if (!isSameHealth(flow.condition, condition)) world.store.flows.set(flow.id, { ...flow, condition })
  }

  const settle = (delivery: DeliveryRecord, outcome: Outcome, startedAt: number): void => {
    const attempt = delivery.attempts.at(-1)
    if (attempt) {
      attempt.duration_ms = clock.now() - startedAt
      attempt.outcome = outcome.status === 'sent' && delivery.captured ? 'captured' : outcome.status
      attempt.provider_response = outcome.status === 'sent' ? outcome.response : `${outcome.failure.code}: ${outcome.failure.detail}`
    }
    const isCalledOff = outcome.status === 'retrying' && delivery.cancelRequested
    delivery.status = isCalledOff ? 'canceled' : outcome.status
    delivery.failure = outcome.status === 'sent' ? null : outcome.failure
    delivery.next_attempt_at = outcome.status === 'retrying' && !isCalledOff ? outcome.at.toISOString() : null
    if (outcome.status === 'sent') {
      delivery.provider_message_id = outcome.providerMessageId
      delivery.sent_at = timestamp(world)
      outbox.push(toSentMessage(world, delivery))
    }
    noteHealth(delivery)
    settlements.update(delivery.notification)
    if (outcome.status === 'retrying' && !isCalledOff) waitFor(delivery)
  }

  const begin = (delivery: DeliveryRecord): void => {
    // Canceled, or put off, since it was taken.
    const isDue = delivery.next_attempt_at === null || Date.parse(delivery.next_attempt_at) <= clock.now()
    if ((delivery.status !== 'queued' && delivery.status !== 'retrying') || !isDue) return
    const startedAt = clock.now()
    delivery.status = 'sending'
    delivery.attempt_count += 1
    delivery.firstAttemptAt ??= startedAt
    delivery.next_attempt_at = null
    delivery.attempts.push({
      id: world.makeId('attempt'),
      number: delivery.attempt_count,
      started_at: timestamp(world),
      duration_ms: null,
      outcome: 'sending',
      provider_response: null,
    })
    settlements.update(delivery.notification)
    const planned = faults.take(delivery.target)
    const end = () => {
      const failure = unsendable(delivery) ?? planned.failure
      settle(delivery, after(delivery, failure, planned.retryAfterMs), startedAt)
    }
    if (planned.delayMs > 0) clock.schedule(end, planned.delayMs)
    else end()
  }

  /** Why a delivery cannot even be handed to its provider. */
  const unsendable = (delivery: DeliveryRecord): Failure | undefined => {
    if (!providerOf(world, delivery.source_type))
      return {
        kind: 'credential',
        code: 'provider_not_served',
        detail: `This deployment no longer serves ${delivery.source_type}.`,
        retryable: false,
      }
    const isMissing = !delivery.captured && !hasCredential(world, delivery.notification.project_id, delivery.source_type)
    return isMissing ? withoutCredential : undefined
  }

  const waitFor = (delivery: DeliveryRecord): void => {
    const delayMs = delivery.next_attempt_at === null ? 0 : Date.parse(delivery.next_attempt_at) - clock.now()
    if (delayMs > 0) clock.schedule(() => begin(delivery), delayMs)
    else due.push(delivery)
  }

  const run = (): void => {
    while (due.length > 0) {
      const batch = due
      due = []
      for (const delivery of batch) begin(delivery)
    }
  }

  return { enqueue: waitFor, run }
}
