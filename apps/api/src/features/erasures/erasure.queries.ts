import type { Queryable } from '../../database/database.ts'
import { notFound } from '../../shared/api-error.ts'
import { fromId, type Uuid } from '../../shared/ids.ts'
import type { ErasureRow } from './erasure.serializer.ts'

const columns = 'id, digest, source_type, block, status, deliveries, requested_by, created_at, done_at'

/** The fields of a new erasure. */
export interface NewErasure {
  readonly id: Uuid
  readonly userId: string
  readonly digest: Uuid
  readonly sourceType: string | undefined
  readonly block: boolean
  readonly requestedBy: Uuid | undefined
  readonly createdAt: Date
  /** The recipient's normalized address (`recipientKey`), encrypted. */
  readonly address: Buffer
}

/** Stores an erasure that is due now. */
export const insertErasure = async (on: Queryable, erasure: NewErasure): Promise<ErasureRow> => {
  const { id, userId, digest, sourceType = '', block, requestedBy = null, createdAt, address } = erasure
  const [row] = await on.query<ErasureRow & object>(
    `insert into erasures (id, user_id, digest, source_type, block, status, deliveries, requested_by, created_at, address, due_at, claim)
     values ($1, $2, $3, $4, $5, 'running', 0, $6, $7, $8, now(), 0) returning ${columns}`,
    [id, userId, digest, sourceType, block, requestedBy, createdAt, address],
  )
  if (!row) throw new Error('The insert of the erasure returned no row.')
  return row
}

/**
 * Reads one of a user's erasures.
 * @throws ApiError `not_found`.
 */
export const getErasure = async (on: Queryable, userId: string, id: string): Promise<ErasureRow> => {
  const uuid = fromId('erasure', id)
  if (uuid === undefined) throw notFound()
  const [row] = await on.query<ErasureRow & object>(`select ${columns} from erasures where id = $1 and user_id = $2`, [uuid, userId])
  if (!row) throw notFound()
  return row
}
