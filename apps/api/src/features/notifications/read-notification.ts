import type { NotificationWithAttempts } from '@flowpost/contract'
import { countDeliveryRows, limitPage, maxEmbeddedAttempts } from '@flowpost/contract/rules'
import { isCompleted } from '@flowpost/domain'
import type { z } from 'zod'
import type { Principal } from '../../auth/principal.ts'
import type { Queryable } from '../../database/database.ts'
import { fromId } from '../../shared/ids.ts'
import type { WaitLimit } from '../../shared/wait-limit.ts'
import type { Completions, CompletionWatch } from '../delivery/completion-watch.ts'
import { attemptsOf, embeddedDeliveriesOf, getNotification } from './notification.queries.ts'
import { type NotificationRow, toNotificationWithAttempts } from './notification.serializer.ts'

type NotificationResponse = z.output<typeof NotificationWithAttempts>

/**
 * Reads the deliveries and attempts that notification responses embed. A page embeds at most `maxEmbeddedRows`
 * deliveries and attempts in total. If the first notification exceeds this limit, the page contains only that
 * notification.
 * @param rows the notifications, newest first.
 * @returns `length`, the number of notifications that fit into the page, and `toResponse`, which returns the API
 * representation of one of them.
 */
export const withDeliveries = async (
  on: Queryable,
  rows: readonly NotificationRow[],
): Promise<{ length: number; toResponse: (row: NotificationRow) => NotificationResponse }> => {
  const deliveries = await embeddedDeliveriesOf(
    on,
    rows.map(({ id }) => id),
  )
  const deliveriesOf = ({ id }: NotificationRow) => deliveries.get(id) ?? []
  const counts = rows.map((row) => deliveriesOf(row).reduce((sum, delivery) => sum + countDeliveryRows(delivery, maxEmbeddedAttempts), 0))
  const length = limitPage(rows.length, counts)
  const attempts = await attemptsOf(on, rows.slice(0, length).flatMap(deliveriesOf), maxEmbeddedAttempts)
  return { length, toResponse: (row) => toNotificationWithAttempts(row, deliveriesOf(row), attempts) }
}

/** The options of a request that waits until a notification is completed. */
export interface WaitOptions {
  /** The maximum time to wait, in milliseconds. */
  readonly waitMs: number
  /** Aborts when the client has disconnected. */
  readonly disconnected: AbortSignal
}

/** The dependencies of {@link createNotificationReader}. */
export interface NotificationReaderDeps {
  readonly database: Queryable
  readonly completions: Completions
  readonly limitWaits: WaitLimit
}

interface Snapshot {
  readonly row: NotificationRow
  /** The response; `undefined` until the notification is completed. */
  readonly completed: NotificationResponse | undefined
}

/**
 * Creates a reader that returns a notification at once or waits for its completion. If several requests of a user wait
 * for the same notification, they share the result of one read after its completion. The reader rejects with the ApiError
 * `not_found`, or with `rate_limited` if the credential has too many waiting requests.
 */
export const createNotificationReader = ({ database, completions, limitWaits }: NotificationReaderDeps) => {
  const toResponse = async (row: NotificationRow): Promise<NotificationResponse> => (await withDeliveries(database, [row])).toResponse(row)

  const read = async (principal: Principal, id: string): Promise<NotificationResponse> =>
    toResponse(await getNotification(database, principal, id))

  /** Reads the notification and, if it is completed, its deliveries. */
  const readSnapshot = async (principal: Principal, id: string): Promise<Snapshot> => {
    const row = await getNotification(database, principal, id)
    return { row, completed: isCompleted(row.status) ? await toResponse(row) : undefined }
  }

  /**
   * Waits for the completion of the notification, but no longer than `waitMs`, and only while the client is connected and the
   * server is running. Resolves with the last snapshot.
   */
  const waitForCompletion = async (
    watch: CompletionWatch,
    first: Snapshot,
    { waitMs, disconnected }: WaitOptions,
    takeSnapshot: () => Promise<Snapshot>,
  ): Promise<Snapshot> => {
    const deadlineMs = performance.now() + waitMs
    let last = first
    while (!last.completed) {
      await watch.next(Math.max(0, deadlineMs - performance.now()))
      if (disconnected.aborted || completions.stopped() || performance.now() >= deadlineMs) break
      last = await takeSnapshot()
    }
    return last
  }

  return async (principal: Principal, id: string, options: WaitOptions | undefined): Promise<NotificationResponse> => {
    const uuid = fromId('notification', id)
    if (options === undefined || uuid === undefined) return read(principal, id)
    const { disconnected } = options
    // Start watching before the first read, so that a completion after that read is not missed.
    const watch = completions.watch(uuid)
    if (disconnected.aborted) watch.stop()
    disconnected.addEventListener('abort', watch.stop)
    try {
      const owner = `${principal.userId} ${principal.projectId ?? ''}`
      const takeSnapshot = () => watch.read(`completed ${owner}`, () => readSnapshot(principal, id))
      const first = await takeSnapshot()
      if (first.completed) return first.completed
      const last = await limitWaits(principal.rateLimitKey, () => waitForCompletion(watch, first, options, takeSnapshot))
      if (last.completed) return last.completed
      // The client will not receive this response, so the deliveries are not read.
      if (disconnected.aborted) return toNotificationWithAttempts(last.row, [], new Map())
      return await watch.read(`now ${owner}`, () => read(principal, id))
    } finally {
      disconnected.removeEventListener('abort', watch.stop)
      watch.stop()
    }
  }
}
