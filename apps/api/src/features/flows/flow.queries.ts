import { maxPageBytes } from '@flowpost/contract/rules'
import { maxTemplateBytes, rejectRenderingCost } from '@flowpost/domain'
import type { Principal } from '../../auth/principal.ts'
import { pageLimit, type Queryable } from '../../database/database.ts'
import { anyUuid } from '../../database/query-hints.ts'
import { notFound, rejected } from '../../shared/api-error.ts'
import { fromId, lowestUuid, type Uuid } from '../../shared/ids.ts'
import { projectUuid } from '../projects/project.queries.ts'
import type { CandidateFlow, FlowWithHealthRow } from './flow.serializer.ts'

const columns = [
  'id',
  'project_id',
  'name',
  'key',
  'active',
  'source_type',
  'target',
  'override_target',
  'message_template',
  'message_template_type',
  'created_at',
  'updated_at',
]
  .map((column) => `f.${column}`)
  .join(', ')

/** The columns of a {@link FlowWithHealthRow}, qualified with the table alias `f`. */
export const flowColumns = `${columns}, f.health_status, f.health_code, f.health_detail, f.health_since, f.checked_at`

/** The path parameters of a flow. */
export interface FlowPath {
  readonly project_id: string
  readonly flow_id: string
}

/**
 * Reads a flow that the principal may access.
 * @param lock whether to lock the row until the transaction ends.
 * @throws ApiError `not_found`.
 */
export const getFlow = async (on: Queryable, principal: Principal, path: FlowPath, lock = false): Promise<FlowWithHealthRow> => {
  const projectId = projectUuid(principal, path.project_id)
  const flowId = fromId('flow', path.flow_id)
  if (flowId === undefined) throw notFound()
  const [row] = await on.query<FlowWithHealthRow>(
    `select ${flowColumns} from flows f join projects p on p.id = f.project_id
     where f.id = $1 and f.project_id = $2 and p.user_id = $3 ${lock ? 'for update of f' : ''}`,
    [flowId, projectId, principal.userId],
  )
  if (!row) throw notFound()
  return row
}

const flowsById = { name: 'flows-by-id', text: `select ${flowColumns} from flows f where ${anyUuid('f.id', '$1')}` }

/** Reads the flows with the given ids. Omits ids that do not exist. */
export const readFlows = (on: Queryable, ids: readonly Uuid[]): Promise<FlowWithHealthRow[]> =>
  on.query<FlowWithHealthRow & object>(flowsById, [ids])

const flowByKey = {
  name: 'find-flow-by-key',
  text: `select f.id from flows f join projects p on p.id = f.project_id where f.project_id = $1 and f.key = $2 and p.user_id = $3`,
}

/** Finds the id of a project's flow by its `key`. */
export const findFlowByKey = async (on: Queryable, userId: string, projectId: Uuid, key: string): Promise<Uuid | undefined> => {
  const [row] = await on.query<{ id: Uuid }>(flowByKey, [projectId, key, userId])
  return row?.id
}

/** The ids that identify a flow to look up. */
export interface FlowLookup {
  readonly userId: string
  readonly projectId: Uuid
  readonly flowId: Uuid
}

const flowsByLookup = {
  name: 'find-flows',
  text: `select lookup.number::int - 1 as position, f.*
    from unnest($1::uuid[], $2::uuid[], $3::text[]) with ordinality as lookup(flow_id, project_id, user_id, number) cross join lateral (
      select ${flowColumns} from flows f
      where f.id = lookup.flow_id and f.project_id = lookup.project_id
        and exists (select 1 from projects p where p.id = f.project_id and p.user_id = lookup.user_id)
      limit 1
    ) f`,
}

/** Reads flows for several users in one statement. Returns the existing flows, keyed by their index in `lookups`. */
export const findFlows = async (on: Queryable, lookups: readonly FlowLookup[]): Promise<ReadonlyMap<number, FlowWithHealthRow>> => {
  const values = [lookups.map(({ flowId }) => flowId), lookups.map(({ projectId }) => projectId), lookups.map(({ userId }) => userId)]
  const rows = await on.query<FlowWithHealthRow & { readonly position: number }>(flowsByLookup, values)
  return new Map(rows.map((row) => [row.position, row]))
}

// For an unknown project, returns no row. For a project without flows, returns one row of nulls. Stops once the templates
// exceed `maxPageBytes` in total, because a thousand templates of 400 kB would use too much memory.
const flowsOfProject = {
  name: 'flows-of-project',
  text: `select f.* from projects p left join lateral (
      select * from (
        select f.*, sum(octet_length(f.message_template)) over (order by f.id rows between unbounded preceding and 1 preceding) as bytes_before
        from (select ${flowColumns} from flows f where f.project_id = p.id and f.id > $3 order by f.id ${pageLimit('$4')}) f
      ) f where f.bytes_before is null or f.bytes_before <= ${maxPageBytes}
    ) f on true
    where p.id = $1 and p.user_id = $2 order by f.id`,
}

/**
 * Reads at most `count` flows of a project, oldest first. Starts after the flow with the UUID `after`, if given. Reads
 * fewer flows if their templates exceed `maxPageBytes`.
 * @throws ApiError `not_found` if the principal's user has no such project.
 */
export const listFlows = async (
  on: Queryable,
  principal: Principal,
  projectId: string,
  count: number,
  after: Uuid | undefined,
): Promise<FlowWithHealthRow[]> => {
  const values = [projectUuid(principal, projectId), principal.userId, after ?? lowestUuid, count]
  const rows = await on.query<FlowWithHealthRow | { readonly id: null }>(flowsOfProject, values)
  if (rows.length === 0) throw notFound()
  return rows.filter((row): row is FlowWithHealthRow => row.id !== null)
}

const maxCandidateTemplateBytes = 4 * 1_048_576

// A template may have 100,000 characters, and a project may have any number of flows. To save memory, the templates of
// inactive flows are not read. If the total size of the other templates exceeds the limit, they are not read either. In that
// case, `templatesOfFlows` later reads the templates that the notification needs. Measuring templates is cheap, because
// PostgreSQL stores their lengths.
const candidateColumns = columns.replace(
  'f.message_template,',
  `case when not f.active then ''
     when sum(octet_length(f.message_template)) filter (where f.active) over () <= ${maxCandidateTemplateBytes} then f.message_template
   end as message_template,`,
)

/**
 * Reads the templates of the flows that a notification triggers. Returns the templates keyed by flow id.
 * @throws ApiError `content_too_long` if their total size exceeds the limit for one request. In that case, no template
 * is read.
 */
export const templatesOfFlows = async (on: Queryable, projectId: Uuid, ids: readonly Uuid[]): Promise<Map<Uuid, string>> => {
  const rows = await on.query<{ id: Uuid; message_template: string | null }>(
    `select id, case when sum(octet_length(message_template)) over () <= $3::int then message_template end as message_template
     from flows where project_id = $1 and id = any($2::uuid[])`,
    [projectId, ids, maxTemplateBytes(ids.length)],
  )
  return new Map(
    rows.map(({ id, message_template: template }) => {
      if (template === null) throw rejected(rejectRenderingCost())
      return [id, template]
    }),
  )
}

/** Reads the flows that a notification may trigger: the flow `flowId`, or all flows of the project if `flowId` is `undefined`. */
export const candidateFlows = (on: Queryable, projectId: Uuid, flowId: Uuid | undefined): Promise<CandidateFlow[]> =>
  on.query<CandidateFlow>(
    `select ${candidateColumns} from flows f where f.project_id = $1 and ($2::uuid is null or f.id = $2) order by f.id`,
    [projectId, flowId ?? null],
  )

// If no flow matches, returns one row whose flow columns are null. If the user has no such project, returns no row.
const flowsToSend = {
  name: 'flows-to-send',
  text: `select ${candidateColumns}, s.suppresses from projects p
    cross join lateral (select exists (select 1 from suppressions where suppressions.project_id = p.id) as suppresses) s
    left join flows f on f.project_id = p.id and ($2::uuid is null or f.id = $2)
    where p.id = $1 and p.user_id = $3 order by f.id`,
}

/** The project settings that determine a notification's deliveries. */
export interface ProjectToSend {
  /** The flows that the notification may trigger; see {@link candidateFlows}. */
  readonly flows: readonly CandidateFlow[]
  /** Whether the project suppresses any recipient. */
  readonly suppresses: boolean
}

/**
 * Reads a project's flows that a notification may trigger, and whether the project suppresses any recipient. Returns
 * `undefined` if the user has no such project.
 */
export const projectFlows = async (
  on: Queryable,
  userId: string,
  projectId: Uuid,
  flowId: Uuid | undefined,
): Promise<ProjectToSend | undefined> => {
  type Row = (CandidateFlow | { readonly id: null }) & { readonly suppresses: boolean }
  const rows = await on.query<Row>(flowsToSend, [projectId, flowId ?? null, userId])
  const [first] = rows
  if (!first) return undefined
  return { flows: rows.filter((row): row is CandidateFlow & Row => row.id !== null), suppresses: first.suppresses }
}
