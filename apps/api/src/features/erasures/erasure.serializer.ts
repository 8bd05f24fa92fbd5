import type { Erasure } from '@flowpost/contract'
import type { z } from 'zod'
import { timestamp, timestampOrNull } from '../../database/database.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import { erasedTarget } from '../delivery/recipients/erased-target.ts'

/** The erasure columns that API responses need. */
export interface ErasureRow {
  readonly id: Uuid
  readonly digest: Uuid
  readonly source_type: string
  readonly block: boolean
  readonly status: string
  readonly deliveries: number
  readonly requested_by: Uuid | null
  readonly created_at: string | Date
  readonly done_at: string | Date | null
}

/** Returns the API representation of an erasure. */
export const toErasure = (row: ErasureRow): z.output<typeof Erasure> => ({
  id: toId('erasure', row.id),
  status: row.status,
  target: erasedTarget(row.digest),
  source_type: row.source_type === '' ? null : row.source_type,
  block: row.block,
  deliveries: row.deliveries,
  requested_by: row.requested_by === null ? null : toId('apiKey', row.requested_by),
  created_at: timestamp(row.created_at),
  done_at: timestampOrNull(row.done_at),
})
