import type { FlowStates } from '@flowpost/domain'
import type { Queryable } from '../../database/database.ts'
import { firstUuidOf, toId, type Uuid } from '../../shared/ids.ts'

/** A flow's settings at a time in the past: its key and name, and the fields that decide whether a notification triggers it. */
export interface PastFlow {
  readonly key: string | null
  readonly name: string
  readonly active: boolean
  readonly source_type: string
  readonly target: string
  readonly override_target: boolean
}

/** The possible states of a project's flows at a moment in the past, and the start of the history. */
export interface PastFlows {
  /** The time from which the history is complete. */
  readonly start: Date
  /** The states that each flow may have had at that moment, ordered by flow id. */
  readonly flows: readonly FlowStates<PastFlow>[]
}

/**
 * The order of a change and a notification is uncertain if their times differ by at most this many milliseconds. One reason
 * is that settings are cached for a second. Another is that a change becomes visible only when its transaction commits.
 */
const uncertaintyMs = 5_000

const fields = ['key', 'name', 'active', 'source_type', 'target', 'override_target']

const pick = (json: string): string => `json_build_object(${fields.map((field) => `'${field}', ${json}::json -> '${field}'`).join(', ')})`

// `$3` is an id that stands for the queried time minus `uncertaintyMs`. `$4` is an id that stands for the queried time plus
// `uncertaintyMs`. Returns for each flow:
// - if the flow has changed since `$3`: its first change since `$3`, and its other changes before `$4`
// - if the flow has not changed since `$3`: its current settings, because they were the same at the queried time
//
// `changes` selects all changes since `$3` without their settings, because there may be many changes, and settings may contain
// large templates. `read` reads the settings of only the few changes to return.
const select = {
  name: 'flow-states',
  text: `with changes as materialized (
    select id, resource_id, row_number() over (partition by resource_id order by id) as number
    from settings_history where project_id = $1 and user_id = $2 and kind = 'flow' and id >= $3::uuid
  ), read as materialized (
    select h.id, h.resource_id, h.changed_at, h.before, h.after from changes c join settings_history h on h.id = c.id
    where c.number = 1 or c.id < $4::uuid
  )
  select resource_id as flow_id, changed_at, case when before is not null then ${pick('before')} end as before,
    case when after is not null then ${pick('after')} end as after from read
  union all
  select f.id, null, json_build_object(${fields.map((field) => `'${field}', f.${field}`).join(', ')}), null
  from flows f join projects p on p.id = f.project_id and p.user_id = $2
  where f.project_id = $1 and f.created_at < $5::timestamptz and f.id not in (select resource_id from changes)
  order by flow_id, changed_at`,
}

/**
 * A row that {@link select} returns. If a flow has changed since `$3`, it has one row for its first change since `$3`, and
 * one row for each other change before `$4`. If it has not changed, it has one row with its current settings as `before`.
 */
interface StateRow {
  readonly flow_id: Uuid
  /** The time of the change; `null` if the flow has not changed. */
  readonly changed_at: string | null
  /** The settings before the change, or the current settings if there was no change. `null` if the change created the flow. */
  readonly before: PastFlow | null
  /** The settings after the change. `null` if the change deleted the flow, or if there was no change. */
  readonly after: PastFlow | null
}

/** Returns the states that a flow may have had at a moment, the most likely first. `changes` must be in chronological order. */
const orderStates = (changes: readonly StateRow[], atMs: number): (PastFlow | undefined)[] => {
  const dated = changes.map(({ changed_at, after }) => ({ atMs: changed_at === null ? Infinity : Date.parse(changed_at), after }))
  const recent = dated.filter((change) => change.atMs < atMs + uncertaintyMs)
  const states = [changes[0]?.before ?? undefined, ...recent.map(({ after }) => after ?? undefined)]
  const current = recent.filter((change) => change.atMs <= atMs).length
  return states
    .map((state, index) => ({ state, distance: Math.abs(index - current) }))
    .sort((a, b) => a.distance - b.distance)
    .map(({ state }) => state)
}

/**
 * Reads the flows that a project had at the time `at`. If a flow changed within {@link uncertaintyMs} of that time,
 * returns each of its possible states, the most likely first. Also works for a project that has been deleted since then.
 */
export const readFlowStates = async (on: Queryable, userId: string, projectId: Uuid, at: Date): Promise<PastFlows> => {
  const atMs = at.getTime()
  const [from, end] = [new Date(atMs - uncertaintyMs), new Date(atMs + uncertaintyMs)]
  const rows = await on.query<StateRow & object>(select, [projectId, userId, firstUuidOf(from), firstUuidOf(end), end])
  const [start] = await on.query<{ at: string }>('select at from settings_history_start')
  if (!start) throw new Error('The table settings_history_start has no row.')
  const flows = [...Map.groupBy(rows, ({ flow_id }) => flow_id)].map(([id, changes]) => ({
    flowId: toId('flow', id),
    states: orderStates(changes, atMs),
  }))
  return { start: new Date(start.at), flows }
}
