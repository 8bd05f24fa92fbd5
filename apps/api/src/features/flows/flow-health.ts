import {
  type Failure,
  type FlowHealth,
  isSameHealth,
  unknownHealth,
  updateHealthAfterCheck,
  updateHealthAfterDelivery,
} from '@flowpost/domain'
import { projectTag } from '../../cache-tags.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { anyUuid } from '../../database/query-hints.ts'
import type { Clock } from '../../shared/clock.ts'
import { type EventFact, hasEventEndpoint, type RecordEvents } from '../../shared/event-facts.ts'
import type { Uuid } from '../../shared/ids.ts'
import type { CredentialQuery, Credentials } from '../integrations/credentials.ts'

/** The parts of a delivery attempt and its outcome that affect the flow's health. */
export interface DeliveryOutcome {
  readonly attempt: { readonly flow_id: Uuid; readonly source_type: string; readonly target: string; readonly captured: boolean }
  readonly outcome: { readonly status: 'sent' | 'retrying' | 'failed' | 'ambiguous'; readonly failure?: Failure }
}

interface HealthRow {
  readonly id: Uuid
  readonly project_id: Uuid
  readonly source_type: string
  readonly target: string
  readonly health_status: FlowHealth['status']
  readonly health_code: string | null
  readonly health_detail: string | null
  readonly health_since: string | null
  readonly failing_kind: FlowHealth['failingKind']
  readonly failures_in_row: number
  /** Whether the project has an active event endpoint. Only `lockHealth` checks this; `readHealth` always returns `false`. */
  readonly has_events: boolean
}

const selectHealth = `select id, project_id, source_type, target, health_status, health_code, health_detail, health_since, failing_kind,
    failures_in_row`
// The order prevents deadlocks between transactions that lock the same flows.
const fromFlows = `from flows where ${anyUuid('id', '$1')} order by id`
const readHealth = { name: 'flow-conditions', text: `${selectHealth}, false as has_events ${fromFlows}` }
const lockHealth = {
  name: 'lock-flow-conditions',
  text: `${selectHealth}, ${hasEventEndpoint('flows.project_id')} as has_events ${fromFlows} for no key update`,
}

const toHealth = (row: HealthRow): FlowHealth => ({
  status: row.health_status,
  code: row.health_code,
  detail: row.health_detail,
  since: row.health_since,
  failingKind: row.failing_kind,
  failuresInRow: row.failures_in_row,
})

interface Change {
  readonly row: Pick<HealthRow, 'id' | 'project_id'> & Partial<Pick<HealthRow, 'health_status' | 'has_events'>>
  readonly after: FlowHealth
  readonly checkedAt?: Date
}

const store = async (transaction: Transaction, changes: readonly Change[]): Promise<void> => {
  const rows = changes.map(({ row, after, checkedAt }) => ({
    id: row.id,
    status: after.status,
    code: after.code,
    detail: after.detail,
    since: after.since,
    checked_at: checkedAt ?? null,
    failing_kind: after.failingKind,
    failures: after.failuresInRow,
  }))
  await transaction.query(
    `update flows f set health_status = r.status, health_code = r.code, health_detail = r.detail, health_since = r.since,
       checked_at = coalesce(r.checked_at, f.checked_at), failing_kind = r.failing_kind, failures_in_row = r.failures
     from jsonb_to_recordset($1::jsonb) as r(id uuid, status text, code text, detail text, since timestamptz, checked_at timestamptz,
       failing_kind text, failures int)
     where f.id = r.id`,
    [JSON.stringify(rows)],
  )
  for (const { row } of changes) transaction.invalidate(projectTag(row.project_id))
}

/**
 * Returns a fact for each flow that became healthy or unhealthy. Omits flows in projects without active event
 * endpoints.
 */
const factsOf = (changes: readonly Change[]): EventFact[] =>
  changes.flatMap(({ row, after: { status } }): EventFact[] =>
    row.has_events && status !== 'unknown' && status !== row.health_status
      ? [{ type: `flow.${status}`, projectId: row.project_id, flowId: row.id }]
      : [],
  )

const affectsHealth = ({ attempt, outcome }: DeliveryOutcome): boolean =>
  !attempt.captured && (outcome.status === 'sent' || outcome.status === 'failed')

/**
 * Updates flow health from delivery outcomes, in the transaction that records the outcomes. Call it after notifications
 * and deliveries are locked, because flows come later in the lock order. Locks a flow only if its health changes. Ignores
 * deleted flows, and deliveries through a provider that the flow no longer uses. Returns the facts to store as events.
 */
export const recordFlowHealth = async (
  transaction: Transaction,
  clock: Clock,
  outcomes: readonly DeliveryOutcome[],
): Promise<EventFact[]> => {
  const outcomesByFlow = Map.groupBy(outcomes.filter(affectsHealth), ({ attempt }) => attempt.flow_id)
  if (outcomesByFlow.size === 0) return []
  const now = clock.now()

  const changeOf = (row: HealthRow): Change[] => {
    const before = toHealth(row)
    const outcomesOfProvider = (outcomesByFlow.get(row.id) ?? []).filter(({ attempt }) => attempt.source_type === row.source_type)
    const after = outcomesOfProvider.reduce((condition, { attempt, outcome }) => {
      const toFlowTarget = attempt.target === row.target
      return updateHealthAfterDelivery(condition, outcome.failure ? { toFlowTarget, failure: outcome.failure } : { toFlowTarget }, now)
    }, before)
    return isSameHealth(before, after) ? [] : [{ row, after }]
  }

  const expected = (await transaction.query<HealthRow>(readHealth, [[...outcomesByFlow.keys()]])).flatMap(changeOf)
  if (expected.length === 0) return []
  const locked = await transaction.query<HealthRow>(lockHealth, [expected.map(({ row }) => row.id)])
  const changes = locked.flatMap(changeOf)
  if (changes.length > 0) await store(transaction, changes)
  return factsOf(changes)
}

/** The dependencies of {@link recordCheck}. */
export interface RecordCheckDeps {
  readonly database: Database
  readonly clock: Clock
  readonly credentials: Credentials
  readonly recordEvents: RecordEvents
}

/** The results of checking a flow. */
export interface CheckedFlow {
  readonly flow: { readonly id: Uuid; readonly source_type: string; readonly target: string }
  /** The query for the flow's credential. */
  readonly query: CredentialQuery
  /** The id of the credential that was checked, if there was one. */
  readonly credentialId: string | undefined
  readonly checks: Parameters<typeof updateHealthAfterCheck>[1]
}

/**
 * Updates a flow's health from check results. Has no effect if the flow has since been deleted or has a different source
 * type, target or credential.
 */
export const recordCheck = (
  { database, clock, credentials, recordEvents }: RecordCheckDeps,
  { flow, query, credentialId, checks }: CheckedFlow,
): Promise<void> =>
  database.transaction(async (transaction) => {
    // Locks the project, so that its credential cannot change until the health is stored. Locks it before the flow, because the
    // project comes first in the lock order of `recordOutcomes`.
    await transaction.query('select 1 from projects where id = $1 for key share', [query.projectId])
    if ((await credentials.find(transaction, query))?.id !== credentialId) return
    const [row] = await transaction.query<HealthRow>(lockHealth, [[flow.id]])
    if (row?.source_type !== flow.source_type || row.target !== flow.target) return
    const now = clock.now()
    const change = { row, after: updateHealthAfterCheck(toHealth(row), checks, now), checkedAt: now }
    await store(transaction, [change])
    const facts = factsOf([change])
    if (facts.length > 0) await recordEvents(transaction, facts)
  })

/**
 * Resets the health of a project's flows that use the given provider. Call it when the provider's credential changes.
 */
export const resetFlowHealth = async (transaction: Transaction, projectId: Uuid, sourceType: string): Promise<void> => {
  const rows = await transaction.query<{ id: Uuid }>(
    `select id from flows where project_id = $1 and source_type = $2 and (health_status <> 'unknown' or failures_in_row > 0)
     order by id for no key update`,
    [projectId, sourceType],
  )
  if (rows.length > 0)
    await store(
      transaction,
      rows.map(({ id }) => ({ row: { id, project_id: projectId }, after: unknownHealth })),
    )
}
