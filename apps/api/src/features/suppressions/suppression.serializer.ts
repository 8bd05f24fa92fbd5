import type { Suppression } from '@flowpost/contract'
import type { z } from 'zod'
import { timestamp } from '../../database/database.ts'
import { toId } from '../../shared/ids.ts'
import { erasedTarget } from '../delivery/recipients/erased-target.ts'
import type { SuppressionRow } from '../delivery/suppressions/suppress.ts'

/** Returns the API representation of a suppression. */
export const toSuppression = (row: SuppressionRow): z.output<typeof Suppression> => ({
  id: toId('suppression', row.id),
  target: row.target ?? erasedTarget(row.digest),
  source_type: row.source_type === '' ? null : row.source_type,
  reason: row.reason,
  source: row.source,
  created_at: timestamp(row.created_at),
})
