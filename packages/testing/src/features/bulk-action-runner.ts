import { ApiError } from '@flowpost/contract/rules'
import { openStatuses, statusesBefore } from '@flowpost/domain'
import type { CompletionTracker } from '../delivery/completion.ts'
import type { Dispatcher } from '../delivery/dispatcher.ts'
import { type MockContext, timestamp } from '../state/mock-context.ts'
import type { BulkActionRecord, DeliveryRecord } from '../state/store.ts'
import { cancelDelivery, isRetryable, isScheduled, requeueDelivery } from './change-deliveries.ts'
import { requireQueueSpace } from './queue-limit.ts'

/** Runs bulk actions in steps, on the mock's clock. */
export interface BulkActionRunner {
  /** Runs the first step at once, and schedules the remaining steps. */
  run(record: BulkActionRecord): void
  end(record: BulkActionRecord, status: 'done' | 'stopped'): void
  /** Calls `callback` once when the action ends. Returns a function that removes the listener. */
  onEnd(id: string, callback: () => void): () => void
}

const maxDeliveriesPerStep = 500
// A step handles at most a quarter of the queue limit. The queue accepts one user's deliveries up to half of the limit, so it
// accepts the step even if other deliveries of the user occupy another quarter.
const shareOfQueue = 4
const betweenStepsMs = 100
const queueFullPauseMs = 2_000

// A cancellation also selects deliveries that are being sent. It does not cancel them, but counts them as skipped.
const selectable = { retry: new Set(statusesBefore('queued')), cancel: new Set(openStatuses) } as const
const cancelable = new Set(statusesBefore('canceled'))

/** Returns the deliveries that a bulk action selects and has not examined yet. */
export const selectDeliveries = ({ store }: MockContext, record: BulkActionRecord): DeliveryRecord[] => {
  const { action, filter, userId, lastNotificationId, lastDeliveryId } = record
  const [after, before] = [Date.parse(filter.created_after), filter.created_before === null ? Infinity : Date.parse(filter.created_before)]
  const matches = ({ id, status, flow_id, source_type, failure }: DeliveryRecord): boolean =>
    id > lastDeliveryId &&
    selectable[action].has(status) &&
    (filter.status === null || filter.status === status) &&
    (filter.flow_id === null || filter.flow_id === flow_id) &&
    (filter.source_type === null || filter.source_type === source_type) &&
    (filter.failure_kind === null || filter.failure_kind === failure?.kind) &&
    (filter.failure_code === null || filter.failure_code === failure?.code)
  return [...store.notifications.values()]
    .filter(({ id, userId: owner, project_id, created_at }) => {
      const createdAt = Date.parse(created_at)
      return owner === userId && project_id === filter.project_id && id <= lastNotificationId && createdAt >= after && createdAt < before
    })
    .flatMap(({ deliveries }) => deliveries.filter(matches))
}

/** Creates a mock's bulk action runner. */
export const createBulkActionRunner = (
  context: MockContext,
  { dispatcher, completion }: { readonly dispatcher: Dispatcher; readonly completion: CompletionTracker },
): BulkActionRunner => {
  const { clock, settings } = context
  const listeners = new Map<string, Set<() => void>>()
  const stepSize = Math.max(1, Math.min(maxDeliveriesPerStep, Math.floor(settings.queueLimit / shareOfQueue)))

  const end: BulkActionRunner['end'] = (record, status) => {
    record.status = status
    record.completed_at = timestamp(context)
    const callbacks = listeners.get(record.id) ?? []
    listeners.delete(record.id)
    for (const callback of callbacks) callback()
  }

  /**
   * Queues the retryable deliveries again and returns them.
   *
   * @throws {ApiError} `queue_full`, before any delivery has changed.
   */
  const retry = (record: BulkActionRecord, deliveries: readonly DeliveryRecord[]): DeliveryRecord[] => {
    const leftMs = Date.parse(record.created_at) + record.spread_seconds * 1_000 - clock.now()
    const retried = deliveries.filter((delivery) => isRetryable(context, delivery) && (delivery.notification.test || !record.isTest))
    for (const scheduled of [false, true]) {
      const { length: count } = retried.filter(({ notification }) => (leftMs > 0 || isScheduled(context, notification)) === scheduled)
      if (count > 0) requireQueueSpace(context, { userId: record.userId, count, scheduled })
    }
    for (const delivery of retried) {
      const retryAt = clock.now() + Math.floor(context.random() * leftMs)
      requeueDelivery(context, delivery, leftMs > 0 ? retryAt : null)
    }
    return retried
  }

  const cancel = (deliveries: readonly DeliveryRecord[]): DeliveryRecord[] => {
    const canceled = deliveries.filter(({ status }) => cancelable.has(status))
    for (const delivery of canceled) cancelDelivery(delivery)
    return canceled
  }

  const change = (record: BulkActionRecord, deliveries: readonly DeliveryRecord[]): number => {
    const changed = record.action === 'retry' ? retry(record, deliveries) : cancel(deliveries)
    for (const notification of new Set(changed.map((delivery) => delivery.notification))) completion.updateStatus(notification)
    if (record.action === 'retry') for (const delivery of changed) dispatcher.enqueue(delivery)
    return changed.length
  }

  const step = (record: BulkActionRecord): void => {
    if (record.status !== 'running') return
    const selected = selectDeliveries(context, record)
    const deliveries = selected.slice(0, stepSize)
    try {
      const changed = change(record, deliveries)
      record.matched += deliveries.length
      record.done += changed
      record.skipped += deliveries.length - changed
      record.lastDeliveryId = deliveries.at(-1)?.id ?? record.lastDeliveryId
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      clock.schedule(() => runLater(record), queueFullPauseMs)
      return
    }
    if (selected.length > deliveries.length) clock.schedule(() => runLater(record), betweenStepsMs)
    else end(record, 'done')
  }

  const runLater = (record: BulkActionRecord): void => {
    step(record)
    dispatcher.run()
  }

  return {
    run: step,
    end,
    onEnd: (id, callback) => {
      const callbacks = listeners.get(id) ?? new Set()
      listeners.set(id, callbacks.add(callback))
      return () => void callbacks.delete(callback)
    },
  }
}
