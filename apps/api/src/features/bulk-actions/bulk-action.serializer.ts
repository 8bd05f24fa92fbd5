import type { BulkAction } from '@flowpost/contract'
import type { z } from 'zod'
import { timestamp, timestampOrNull } from '../../database/database.ts'
import { toId, type Uuid } from '../../shared/ids.ts'

/** The filter of a bulk action, with the names and value formats of the API. */
export type AppliedFilter = z.output<typeof BulkAction>['filter']

/** The bulk action columns that API responses need. */
export interface BulkActionRow {
  readonly id: Uuid
  readonly action: string
  readonly status: string
  readonly filter: AppliedFilter
  readonly spread_seconds: number
  readonly matched: number
  readonly done: number
  readonly skipped: number
  readonly created_at: string | Date
  readonly completed_at: string | Date | null
}

/** The columns of a {@link BulkActionRow}. */
export const bulkActionColumns = 'id, action, status, filter, spread_seconds, matched, done, skipped, created_at, completed_at'

/** Returns the API representation of a bulk action. */
export const toBulkAction = (row: BulkActionRow): z.output<typeof BulkAction> => ({
  id: toId('bulkAction', row.id),
  action: row.action,
  status: row.status,
  filter: row.filter,
  spread_seconds: row.spread_seconds,
  matched: row.matched,
  done: row.done,
  skipped: row.skipped,
  created_at: timestamp(row.created_at),
  completed_at: timestampOrNull(row.completed_at),
})
