import { setTimeout as sleep } from 'node:timers/promises'
import type { Flowpost, NotificationListParams, NotificationWithAttempts } from '@flowpost/client'

const intervalMs = 2_000

/**
 * The overlap between consecutive reads, in milliseconds. The server stores notifications in batches, so a notification
 * can become visible up to this long after its `created_at`.
 */
const overlapMs = 10_000

/** Yields notifications accepted after those in `last`, oldest first, until `signal` aborts. */
export async function* followLog(
  flowpost: Flowpost,
  query: NotificationListParams,
  last: readonly NotificationWithAttempts[],
  { signal, startedAt }: { readonly signal: AbortSignal; readonly startedAt: number },
): AsyncGenerator<NotificationWithAttempts> {
  const seen = new Map(last.map(({ id, created_at }) => [id, Date.parse(created_at)]))
  // Uses the server's clock. If there are no notifications, only this machine's clock is available.
  let newestAt = Math.max(...seen.values())
  if (seen.size === 0) newestAt = startedAt
  for (let isFirst = true; ; isFirst = false) {
    // The first read immediately follows the initial listing.
    if (!isFirst) await sleep(intervalMs, undefined, { signal })
    const created_after = new Date(newestAt - overlapMs).toISOString()
    const found: NotificationWithAttempts[] = []
    const list = flowpost.notifications.list({ ...query, created_after, limit: 1000 }, { signal })
    for await (const notification of list) if (!seen.has(notification.id)) found.push(notification)
    for (const notification of found.reverse()) {
      const createdAt = Date.parse(notification.created_at)
      seen.set(notification.id, createdAt)
      // Skips older notifications, which the initial listing left out but the first read finds.
      if (isFirst && createdAt < newestAt) continue
      newestAt = Math.max(newestAt, createdAt)
      yield notification
    }
    for (const [id, createdAt] of seen) if (createdAt < newestAt - 2 * overlapMs) seen.delete(id)
  }
}
