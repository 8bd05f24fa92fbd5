import type { Flow } from '@flowpost/contract'
import { momentBeforeHistory, momentInFuture } from '@flowpost/contract/rules'
import type { Channels } from '@flowpost/domain'
import type { z } from 'zod'
import type { Principal } from '../../auth/principal.ts'
import { type Database, timestamp } from '../../database/database.ts'
import { notFound } from '../../shared/api-error.ts'
import type { Clock } from '../../shared/clock.ts'
import { firstUuidOf, fromId, type Uuid } from '../../shared/ids.ts'
import { projectUuid } from '../projects/project.queries.ts'
import { type FlowPath, flowColumns } from './flow.queries.ts'
import { type FlowRow, type FlowWithHealthRow, flowEtag, noHealth, toFlow } from './flow.serializer.ts'

/** The dependencies of {@link readPastFlow}. */
export interface PastFlowDeps {
  readonly database: Database
  readonly clock: Clock
  readonly channels: Channels
}

// If the flow has changed since the requested moment, the first of these changes has the flow's state in its `before` column.
// Otherwise, the current row has it. One statement reads both, because a change between two reads could be missed. Entries are
// found by id, because an id contains the time of the change.
//
// All entries of a flow have the same user and project, so `owned` examines a single entry. A condition on the user of each entry
// would read all entries of another user's flow. `not materialized` prevents PostgreSQL from reading the whole history of the flow.
const select = `with owned as (
    select project_id = $2 and user_id = $3 and kind = 'flow' as is_owned from settings_history where resource_id = $1 limit 1
  ), history as not materialized (
    select * from settings_history where resource_id = $1 and (select is_owned from owned)
  ), next_change as (
    select before, resource_created_at, previous_updated_at from history where id >= $4::uuid order by id limit 1
  )
  select (select at from settings_history_start) as start, exists (select 1 from next_change) as has_changed, n.before,
    n.resource_created_at, n.previous_updated_at, (select changed_at from history where id < $4::uuid order by id desc limit 1) as last_change,
    ${flowColumns}
  from (select 1) one left join next_change n on true
    left join (flows f join projects p on p.id = f.project_id and p.user_id = $3) on f.id = $1 and f.project_id = $2`

interface PastRow extends Omit<FlowWithHealthRow, 'id' | 'created_at'> {
  readonly id: Uuid | null
  readonly created_at: string | null
  readonly start: string
  readonly has_changed: boolean
  readonly before: string | null
  readonly resource_created_at: string | null
  readonly previous_updated_at: string | null
  readonly last_change: string | null
}

/**
 * Returns the flow's settings at the time `at`, or `undefined` if the flow did not exist. The returned `updated_at` may
 * be later than `at`: writing the same settings again changes `updated_at`, but the history does not record such
 * writes.
 */
const stateOf = (row: PastRow, at: Date): (Omit<FlowRow, 'id' | 'project_id'> & { readonly created_at: string }) | undefined => {
  if (row.has_changed) {
    const { before, resource_created_at: created_at, previous_updated_at: updated_at } = row
    if (before === null || created_at === null || updated_at === null) return undefined
    return { ...(JSON.parse(before) as FlowRow), created_at, updated_at }
  }
  const { id, created_at } = row
  return id === null || created_at === null || new Date(created_at) > at ? undefined : { ...row, created_at }
}

/**
 * Reads a flow as it was at a past moment. The flow and its project may have been deleted since.
 * @param at an RFC 3339 timestamp.
 * @throws ApiError `not_found` if the flow did not exist, or `validation_failed` for a moment that is in the future or before the
 * start of the history.
 */
export const readPastFlow = async (
  { database, clock, channels }: PastFlowDeps,
  principal: Principal,
  path: FlowPath,
  at: string,
): Promise<{ readonly flow: z.output<typeof Flow>; readonly etag: string }> => {
  const moment = new Date(at)
  if (moment > clock.now()) throw momentInFuture()
  const projectId = projectUuid(principal, path.project_id)
  const id = fromId('flow', path.flow_id)
  if (id === undefined) throw notFound()
  const afterwards = firstUuidOf(new Date(moment.getTime() + 1))
  const [row] = await database.query<PastRow>(select, [id, projectId, principal.userId, afterwards])
  if (!row) throw new Error('The flow history query returned no row.')
  if (moment < new Date(row.start)) throw momentBeforeHistory(timestamp(row.start))
  const state = stateOf(row, moment)
  if (!state) throw notFound()
  // A write that changes nothing updates `updated_at`, but the history does not record the write. Therefore, `updated_at` can be
  // later than the requested moment. The response then contains the time of the last recorded change up to that moment or, if
  // no such change is recorded, the time when the flow was created.
  const updated_at = [state.updated_at, row.last_change ?? state.created_at].find((time) => new Date(time) <= moment) ?? state.created_at
  const flow = toFlow({ ...state, ...noHealth, id, project_id: projectId, updated_at }, channels)
  return { flow, etag: flowEtag(flow) }
}
