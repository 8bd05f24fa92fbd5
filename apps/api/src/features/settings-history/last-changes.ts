import type { Queryable } from '../../database/database.ts'
import type { Uuid } from '../../shared/ids.ts'

// A flow without entries has not changed since the start of the history.
const select = `select f.id, coalesce(
    (select changed_at from settings_history where resource_id = f.id order by id desc limit 1),
    (select at from settings_history_start)
  ) as at
  from unnest($1::uuid[]) as f(id)`

/**
 * Returns the time of each flow's last recorded change, keyed by flow id. A flow's `updated_at` can be later, because a write
 * that changes nothing updates it, but is not recorded. For a flow whose last change is not in the history, returns the start
 * of the history.
 */
export const readLastChanges = async (on: Queryable, flowIds: readonly Uuid[]): Promise<ReadonlyMap<Uuid, Date>> => {
  const rows = await on.query<{ id: Uuid; at: string }>(select, [flowIds])
  return new Map(rows.map(({ id, at }) => [id, new Date(at)]))
}
