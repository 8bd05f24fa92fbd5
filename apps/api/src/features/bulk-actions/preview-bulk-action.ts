import type { BulkActionPreview } from '@flowpost/contract'
import { type DeliveryCount, toPreviewCounts } from '@flowpost/contract/rules'
import type { z } from 'zod'
import type { Principal } from '../../auth/principal.ts'
import type { Queryable } from '../../database/database.ts'
import { type BulkActionBody, resolveRange, toAppliedFilter } from './resolve-range.ts'
import { countMatching, type Position } from './selected-deliveries.ts'

// The limits for one statement. With `maxPreviewSteps` statements, a preview examines at most 100,000 notifications, as the
// contract documents for `is_complete`.
const previewLimits = { notifications: 10_000, deliveries: 20_000 }
const maxPreviewSteps = 10

/**
 * Counts the deliveries that a bulk action would select. Examines a limited number of notifications, in several short
 * statements.
 * @throws ApiError `not_found`.
 */
export const previewBulkAction = async (
  on: Queryable,
  principal: Principal,
  body: BulkActionBody,
): Promise<z.output<typeof BulkActionPreview>> => {
  const { selection, start } = await resolveRange(on, principal, body, toAppliedFilter(body))
  const totals = new Map<string, DeliveryCount>()
  let position: Position | undefined = start
  for (let step = 0; step < maxPreviewSteps && position; step += 1) {
    const { counts, next } = await countMatching(on, selection, position, previewLimits)
    for (const entry of counts) {
      const key = JSON.stringify([entry.status, entry.failure_code])
      totals.set(key, { ...entry, count: entry.count + (totals.get(key)?.count ?? 0) })
    }
    position = next
  }
  const counts = [...totals.values()]
  return {
    matched: counts.reduce((sum, { count }) => sum + count, 0),
    is_complete: position === undefined,
    counts: toPreviewCounts(counts),
  }
}
