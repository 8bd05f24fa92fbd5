import type { Principal } from '../../auth/principal.ts'
import type { Queryable } from '../../database/database.ts'
import { fromId } from '../../shared/ids.ts'
import type { WaitLimit } from '../../shared/wait-limit.ts'
import type { Completions } from '../delivery/completion-watch.ts'
import { getBulkAction } from './bulk-action.queries.ts'
import type { BulkActionRow } from './bulk-action.serializer.ts'

/** The dependencies of {@link waitForBulkAction}. */
export interface BulkActionReaderDeps {
  readonly database: Queryable
  readonly completions: Completions
  readonly limitWaits: WaitLimit
}

/**
 * Waits until a bulk action is no longer running, then returns it. Stops waiting after `waitMs` milliseconds, when the
 * client disconnects, or when the server stops.
 * @throws ApiError `not_found`, or `rate_limited` if the credential has too many waiting requests.
 */
export const waitForBulkAction = async (
  { database, completions, limitWaits }: BulkActionReaderDeps,
  principal: Principal,
  id: string,
  { waitMs, disconnected }: { readonly waitMs: number; readonly disconnected: AbortSignal },
): Promise<BulkActionRow> => {
  const uuid = fromId('bulkAction', id)
  if (uuid === undefined) return getBulkAction(database, principal, id)
  // The watch starts before the first read. Otherwise, a completion right after the read would be missed.
  const watch = completions.watch(uuid)
  if (disconnected.aborted) watch.stop()
  disconnected.addEventListener('abort', watch.stop)
  const deadlineMs = performance.now() + waitMs
  try {
    const first = await getBulkAction(database, principal, id)
    if (first.status !== 'running') return first
    return await limitWaits(principal.rateLimitKey, async () => {
      let row = first
      while (row.status === 'running' && !disconnected.aborted && !completions.stopped() && performance.now() < deadlineMs) {
        await watch.next(Math.max(0, deadlineMs - performance.now()))
        row = await getBulkAction(database, principal, id)
      }
      return row
    })
  } finally {
    disconnected.removeEventListener('abort', watch.stop)
    watch.stop()
  }
}
