import type { Database, Queryable } from '../../database/database.ts'
import type { Uuid } from '../../shared/ids.ts'
import type { PendingChange } from '../projects/delete-with-pending-change.ts'

const chunkSize = 1_000

const removeChunk = async (on: Queryable, projectId: Uuid): Promise<number> => {
  const removed = await on.query(
    `delete from events where id = any(array(
       select id from events where project_id = $1 order by position, id limit ${chunkSize}
     )) returning 1`,
    [projectId],
  )
  return removed.length
}

const removeAll = async (on: Queryable, projectId: Uuid): Promise<void> => {
  while ((await removeChunk(on, projectId)) === chunkSize);
}

/**
 * Returns a change that runs `cancel` and then removes the project's events. The event endpoints are not removed here,
 * because the database deletes them together with the project.
 */
export const removeProjectEvents = (cancel: PendingChange, projectId: Uuid): PendingChange => ({
  ahead: async (database: Database, onCanceled) => {
    await cancel.ahead(database, onCanceled)
    await removeAll(database, projectId)
  },
  rest: (transaction) => cancel.rest(transaction),
  // Until the flows are deleted, other transactions can record events about them.
  finish: (transaction) => removeAll(transaction, projectId),
})
