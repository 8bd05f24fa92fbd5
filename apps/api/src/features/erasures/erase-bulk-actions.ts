import type { Queryable } from '../../database/database.ts'
import type { Uuid } from '../../shared/ids.ts'
import { type ErasedPerson, matchesPattern } from './erasure-area.ts'

const find = `select id, request_id from bulk_actions where user_id = $1 and ${matchesPattern('request_id', '$2')} order by id for update`

/** Erases the recipient from the request ids of the user's bulk actions. Clients choose these ids. */
export const eraseBulkActions = async (on: Queryable, { userId, redactor, replacement }: ErasedPerson): Promise<void> => {
  const rows = await on.query<{ id: Uuid; request_id: string }>(find, [userId, redactor.searchPattern])
  const ids = rows.flatMap(({ id, request_id }) => (redactor.isIn(request_id) ? [id] : []))
  if (ids.length > 0) await on.query('update bulk_actions set request_id = $2 where id = any($1::uuid[])', [ids, replacement])
}
