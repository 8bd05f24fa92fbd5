import { setTimeout as sleep } from 'node:timers/promises'
import type { Notification } from '@flowpost/contract'
import { idempotencyInProgress, maxEmbeddedDeliveries } from '@flowpost/contract/rules'
import type { Logger } from 'pino'
import type { z } from 'zod'
import type { Principal } from '../../auth/principal.ts'
import type { Database } from '../../database/database.ts'
import { isDatabaseUnavailable } from '../../database/failures.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import type { IdempotencyKey, IdempotentResponse } from '../../http/idempotency-key.ts'
import type { AcceptanceMetrics } from '../../http/metrics/delivery-metrics.ts'
import type { RequestContext } from '../../http/request-context.ts'
import { unavailable } from '../../shared/api-error.ts'
import { createBatcher } from '../../shared/batcher.ts'
import type { RecordEvents } from '../../shared/event-facts.ts'
import { toId } from '../../shared/ids.ts'
import type { SendSpan, Tracing } from '../../shared/tracing.ts'
import { withoutRedaction } from '../../shared/without-redaction.ts'
import type { Queue } from '../delivery/queue/queue.ts'
import type { QueueLimit } from '../delivery/queue/queue-limit.ts'
import { toNotification } from './notification.serializer.ts'
import type { SendBody } from './plan-notification.ts'
import { type PrepareDeps, type PreparedNotification, prepareNotification } from './prepare-notification.ts'
import { type ResolvedBody, resolveProjectAndFlow } from './resolve-project-and-flow.ts'
import { loadContext, type SendContext, type SendContextDeps, uncached } from './send-context.ts'
import { type StoreItem, type StoreResult, storeNotifications } from './store-notifications.ts'
import { hasSuppressed, suppressedFacts } from './suppressed-facts.ts'

/** The dependencies of {@link createAcceptance}. */
export interface AcceptDeps extends PrepareDeps, SendContextDeps {
  readonly database: Database
  readonly queue: Queue
  readonly queueLimit: QueueLimit
  readonly idempotency: Idempotency
  readonly acceptanceMetrics: AcceptanceMetrics
  readonly recordEvents: RecordEvents
  readonly log: Logger
  /** Records a span while a notification is stored; `undefined` if tracing is off. */
  readonly tracing?: Tracing | undefined
}

/** The response to an accepted notification. */
export type AcceptedResponse = IdempotentResponse<202, z.output<typeof Notification>>

/** A notification to accept. */
export interface Send {
  readonly context: RequestContext
  readonly principal: Principal
  readonly body: SendBody
  readonly key: IdempotencyKey | undefined
  /** Called with the number of rendered bytes. */
  readonly onRendered: (bytes: number) => void
  readonly shared?: SharedReads | undefined
}

/** Lookups that the items of a batch request share. A retry of an item does not use them, but reads the data again. */
export interface SharedReads {
  /**
   * Returns the response stored under the idempotency key, if any.
   * @throws ApiError `idempotency_key_reused`.
   */
  readonly findResponse: () => AcceptedResponse | undefined
  readonly loadContext: (body: ResolvedBody) => Promise<SendContext>
  /** Called when the notification is planned, with the approximate size of the data to store, in bytes. */
  readonly onPrepared: (size: number) => void
}

type SizedItem = StoreItem & { readonly size: number }

/** The result of storing an item. `batch_failed` means that storing the whole batch failed, perhaps because of another item. */
type ItemResult = StoreResult | 'batch_failed'

/** Stores one item, in its own transaction or in one that stores several items. */
type Store = (item: SizedItem) => Promise<ItemResult>

interface AttemptOptions {
  /** Whether to read the settings from the database instead of the cache. */
  readonly fresh: boolean
  readonly store: Store
}

const maxNotifications = 256
const maxBytes = 4 * 1_048_576
// The delays before retries while the project is locked. They are short, because no transaction holds the lock for long: the
// deletion of a project or flow, for example, does most of its work before it takes the lock.
const retryDelaysMs = [25, 50, 100, 200, 400]
// The approximate size, in bytes, of a stored delivery without its message.
const deliveryBytes = 600

const toResponse = ({ notification, deliveries }: PreparedNotification): AcceptedResponse => {
  const body = toNotification(notification, deliveries.slice(0, maxEmbeddedDeliveries))
  return { status: 202, body, headers: { Location: `/v1/notifications/${body.id}` } }
}

const sizeOf = ({ deliveries }: PreparedNotification): number =>
  deliveries.reduce(
    (sum, { content }) => sum + deliveryBytes + (content ? content.subject.length + content.text.length + (content.html?.length ?? 0) : 0),
    0,
  )

const logAccepted = (log: Logger, { requestId, span }: RequestContext, { notification, deliveries, at }: PreparedNotification): void => {
  if (!log.isLevelEnabled('info')) return
  const notification_id = toId('notification', notification.id)
  const due = at ? { due_at: at } : {}
  const failed = deliveries.filter(({ failure }) => failure).length
  const suppressed = failed > 0 ? { suppressed: failed } : {}
  log.info(
    { request_id: requestId, ...span?.ids, notification_id, deliveries: deliveries.length, ...due, ...suppressed },
    'Notification accepted.',
  )
}

/**
 * Creates the function that plans notifications and stores them in batches. Requests that arrive while a batch commits
 * share the next statement, which returns a result for each request. If an item is planned but not stored, the cause may
 * be outdated settings or another item in its batch, so the item is retried alone and with fresh reads. There is no retry
 * if the database is unavailable.
 */
export const createAcceptance = (deps: AcceptDeps) => {
  const { database, queue, queueLimit, idempotency, acceptanceMetrics, log, tracing, recordEvents } = deps
  const stepLog = withoutRedaction(log)

  const storeBatch = async (batch: readonly StoreItem[]): Promise<StoreResult[]> => {
    const results = batch.some(hasSuppressed)
      ? await database.transaction(async (transaction) => {
          const stored = await storeNotifications(transaction, batch, idempotency.oldest())
          await recordEvents(transaction, suppressedFacts(batch.filter((_, index) => stored[index] === 'stored')))
          return stored
        })
      : await storeNotifications(database, batch, idempotency.oldest())
    // Scheduled messages are not announced to workers, because workers find them by polling.
    if (batch.some(({ prepared }) => prepared.at === undefined)) queue.notify()
    return results
  }
  const embedded = database.kind === 'embedded'
  const limits = { concurrency: embedded ? 1 : 2, items: maxNotifications, size: maxBytes, drainsEventLoop: embedded }
  const addToBatch = createBatcher<SizedItem, StoreResult>(limits, storeBatch)
  const storeInBatch: Store = (item) =>
    addToBatch(item).catch((error: unknown) => {
      if (isDatabaseUnavailable(error)) throw error
      log.debug({ err: error }, 'Could not store a batch of notifications; storing each notification separately.')
      return 'batch_failed'
    })
  const storeAlone: Store = async (item) => {
    const [result] = await storeBatch([item])
    return result ?? 'settings_gone'
  }

  /**
   * Plans the notification and stores it, unless the idempotency key has a stored response. Returns the response, or the
   * reason why the notification was not stored.
   * @throws ApiError when a rule rejects the request.
   */
  const attempt = async (
    { context, principal, body, key, onRendered, shared }: Send,
    { fresh, store }: AttemptOptions,
  ): Promise<AcceptedResponse | Exclude<ItemResult, 'stored'>> => {
    const replayed = key && (shared ? shared.findResponse() : await idempotency.find<202, AcceptedResponse['body']>(key))
    if (replayed) return replayed
    const resolved = await resolveProjectAndFlow(database, fresh ? uncached : deps.cache, principal, body)
    const load = () => shared?.loadContext(resolved) ?? loadContext(deps, principal, resolved, { fresh })
    const prepared = await prepareNotification(deps, resolved, load, onRendered)
    const { userId, projectId, notification, deliveries, at } = prepared
    const open = deliveries.filter(({ failure }) => !failure)
    const response = toResponse(prepared)
    const storedResponse = key && idempotency.toStoredResponse(key, response)
    const size = sizeOf(prepared)
    const reservation = queueLimit.reserve({ userId, projectId, count: open.length, scheduled: at !== undefined })
    let span: SendSpan | undefined
    let result: ItemResult | undefined
    try {
      span = tracing?.startSend(context.span, { notificationId: notification.id, deliveries: deliveries.length })
      const origin = { requestId: context.requestId, traceContext: span?.context }
      shared?.onPrepared(size)
      result = await store({ prepared, priority: reservation.priority, storedResponse, origin, size })
    } finally {
      reservation.settle(result === 'stored')
      span?.end(result === 'stored' ? undefined : (result ?? 'not_stored'))
    }
    if (result !== 'stored') return result
    acceptanceMetrics.accepted(prepared.notification.test)
    logAccepted(stepLog, context, prepared)
    return response
  }

  return async (send: Send): Promise<AcceptedResponse> => {
    let result = await attempt(send, { fresh: false, store: storeInBatch })
    if (typeof result === 'object') return result
    const again: Send = { ...send, shared: undefined, onRendered: () => {} }
    for (const delayMs of retryDelaysMs) {
      if (result === 'project_locked') await sleep(delayMs)
      result = await attempt(again, { fresh: true, store: storeAlone })
      if (typeof result === 'object') return result
      if (result === 'key_in_use') throw idempotencyInProgress()
    }
    throw unavailable("The project's settings are being changed. Try again.", { retryAfterSeconds: 1 })
  }
}

/** Accepts a notification: stores it and returns its response, or throws an `ApiError`. */
export type Accept = ReturnType<typeof createAcceptance>
