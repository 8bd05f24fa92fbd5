import type { Principal } from '../../auth/principal.ts'
import { pageLimit, type Queryable } from '../../database/database.ts'
import { notFound } from '../../shared/api-error.ts'
import { fromId, highestUuid, type Uuid } from '../../shared/ids.ts'
import { type BulkActionRow, bulkActionColumns } from './bulk-action.serializer.ts'

const ofPrincipal = 'user_id = $1 and ($2::uuid is null or project_id = $2)'

/**
 * Reads a bulk action that the principal may access.
 * @throws ApiError `not_found`.
 */
export const getBulkAction = async (on: Queryable, principal: Principal, id: string): Promise<BulkActionRow> => {
  const uuid = fromId('bulkAction', id)
  if (uuid === undefined) throw notFound()
  const [row] = await on.query<BulkActionRow & object>(`select ${bulkActionColumns} from bulk_actions where ${ofPrincipal} and id = $3`, [
    principal.userId,
    principal.projectId ?? null,
    uuid,
  ])
  if (!row) throw notFound()
  return row
}

/**
 * Reads at most `count` bulk actions that the principal may access, newest first. If `before` is given, reads only
 * actions older than the one with that UUID.
 */
export const listBulkActions = (on: Queryable, principal: Principal, count: number, before: Uuid | undefined): Promise<BulkActionRow[]> =>
  on.query<BulkActionRow & object>(
    `select ${bulkActionColumns} from bulk_actions where ${ofPrincipal} and id < $3 order by id desc ${pageLimit('$4')}`,
    [principal.userId, principal.projectId ?? null, before ?? highestUuid, count],
  )
