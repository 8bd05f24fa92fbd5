import type { Flowpost, NotificationListParams, NotificationWithAttempts } from '@flowpost/client'

const intervalMs = 2_000
const pageSize = 1_000

/**
 * The overlap between consecutive reads, in milliseconds. The server stores notifications in batches, so a notification
 * can become visible up to this long after its `created_at`.
 */
const overlapMs = 10_000

/**
 * The maximum number of matching notifications that {@link followLog} remembers. It forgets the oldest ones first, but never
 * those created in the last 20 seconds. After it has forgotten some, it may miss a notification that is older than all
 * remembered ones and starts to match later, for example because it fails.
 */
const maxWatched = 10_000

/** Returns whether a notification can start to match the query long after it was accepted, for example when it fails. */
const canMatchLater = ({ status, failure_kind, failure_code }: NotificationListParams): boolean =>
  status !== undefined || failure_kind !== undefined || failure_code !== undefined

interface FollowOptions {
  readonly signal: AbortSignal
  readonly startedAt: number
  /** Waits before the next read. */
  readonly wait: (ms: number) => Promise<void>
}

/**
 * Yields notifications that match `query`, oldest first, until `signal` aborts. A notification that matches only later, for
 * example when it fails, is yielded then.
 *
 * @param last The result of the initial listing. Its notifications are omitted, and so are notifications older than all of
 * them. If `last` is empty, notifications from more than ten seconds before `startedAt` are omitted.
 */
export async function* followLog(
  flowpost: Flowpost,
  query: NotificationListParams,
  last: readonly NotificationWithAttempts[],
  { signal, startedAt, wait }: FollowOptions,
): AsyncGenerator<NotificationWithAttempts> {
  const seen = new Map(last.map(({ id, created_at }) => [id, Date.parse(created_at)]))
  // Ids sort in the order of their creation.
  const ids = [...seen.keys()].sort()
  const oldestId = ids[0] ?? ''
  // The newest known `created_at`, which is a time of the server's clock. If the initial listing is empty, no `created_at` is
  // known. `startedAt` is then used instead, although `startedAt` is a time of this machine's clock.
  let newestAt = seen.get(ids.at(-1) ?? '') ?? startedAt
  let watchedFrom = seen.get(oldestId) ?? startedAt - overlapMs
  const since = query.created_after === undefined ? 0 : Date.parse(query.created_after)
  const isWatching = canMatchLater(query)
  for (let reads = 0; ; reads += 1) {
    // The first read immediately follows the initial listing.
    if (reads > 0) await wait(intervalMs)
    // A complete read goes back to `watchedFrom`, to find older notifications that match only now. The other reads list only
    // the newest notifications, about one page. If `seen` holds n pages of notifications, only every n-th read is complete, so
    // that the average read lists fewer than two pages. For example, if n is 5, then one complete read lists 5 pages, and the
    // next four reads list one page each. Together, these five reads list 9 pages.
    const isComplete = isWatching && reads % Math.max(1, Math.ceil(seen.size / pageSize)) === 0
    const from = Math.max(since, Math.min(newestAt - overlapMs, isComplete ? watchedFrom : Number.POSITIVE_INFINITY))
    const found: NotificationWithAttempts[] = []
    const list = flowpost.notifications.list({ ...query, created_after: new Date(from).toISOString(), limit: pageSize }, { signal })
    for await (const notification of list) if (!seen.has(notification.id)) found.push(notification)
    for (const notification of found.reverse()) {
      const createdAt = Date.parse(notification.created_at)
      seen.set(notification.id, createdAt)
      // The first read can also find notifications that are older than every notification in `last`. They are not new, so they
      // are skipped.
      if (reads === 0 && notification.id < oldestId) continue
      newestAt = Math.max(newestAt, createdAt)
      yield notification
    }
    let keptFrom = newestAt - 2 * overlapMs
    if (isWatching) keptFrom = Math.min(keptFrom, [...seen.values()].sort((a, b) => b - a)[maxWatched - 1] ?? 0)
    for (const [id, createdAt] of seen) if (createdAt < keptFrom) seen.delete(id)
    watchedFrom = Math.max(watchedFrom, keptFrom)
  }
}
