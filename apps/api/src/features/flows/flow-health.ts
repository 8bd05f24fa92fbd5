import { afterCheck, afterOutcome, type Failure, type FlowCondition, isSameCondition, unknownCondition } from '@flowpost/domain'
import { projectTag } from '../../cache-tags.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { anyUuid } from '../../database/query-hints.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Uuid } from '../../shared/ids.ts'

/** A delivery that has just got an outcome: the parts of it that tell about its flow. */
export interface SettledDelivery {
  readonly attempt: { readonly flow_id: Uuid; readonly target: string; readonly captured: boolean }
  readonly outcome: { readonly status: 'sent' | 'retrying' | 'failed' | 'ambiguous'; readonly failure?: Failure }
}

interface ConditionRow {
  readonly id: Uuid
  readonly project_id: Uuid
  readonly source_type: string
  readonly target: string
  readonly health_status: FlowCondition['status']
  readonly health_code: string | null
  readonly health_detail: string | null
  readonly health_since: string | null
  readonly failing_kind: FlowCondition['failingKind']
  readonly failures_in_row: number
}

// By id, so that two transactions that want the same flows never wait for each other in a circle.
const conditions = `select id, project_id, source_type, target, health_status, health_code, health_detail, health_since, failing_kind,
    failures_in_row
  from flows where ${anyUuid('id', '$1')} order by id`
const reading = { name: 'flow-conditions', text: conditions }
const locking = { name: 'lock-flow-conditions', text: `${conditions} for no key update` }

const toCondition = (row: ConditionRow): FlowCondition => ({
  status: row.health_status,
  code: row.health_code,
  detail: row.health_detail,
  since: row.health_since,
  failingKind: row.failing_kind,
  failuresInRow: row.failures_in_row,
})

interface Change {
  readonly row: Pick<ConditionRow, 'id' | 'project_id'>
  readonly after: FlowCondition
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

const tells = ({ attempt, outcome }: SettledDelivery): boolean =>
  !attempt.captured && (outcome.status === 'sent' || outcome.status === 'failed')

/**
 * Notes, in the transaction that settles deliveries, what their outcomes tell about the health of their
 * flows. Call it when that transaction holds its locks on notifications and deliveries: flows are locked
 * after them. A flow that is healthy and stays so is only read, and one that was deleted is left out.
 */
export const recordFlowHealth = async (transaction: Transaction, clock: Clock, settled: readonly SettledDelivery[]): Promise<void> => {
  const byFlow = Map.groupBy(settled.filter(tells), ({ attempt }) => attempt.flow_id)
  if (byFlow.size === 0) return
  const now = clock.now()

  const changeOf = (row: ConditionRow): Change[] => {
    const before = toCondition(row)
    const after = (byFlow.get(row.id) ?? []).reduce((condition, { attempt, outcome }) => {
      const toOwnTarget = attempt.target === row.target
      return afterOutcome(condition, outcome.failure ? { toOwnTarget, failure: outcome.failure } : { toOwnTarget }, now)
    }, before)
    return isSameCondition(before, after) ? [] : [{ row, after }]
  }

  const expected = (await transaction.query<ConditionRow>(reading, [[...byFlow.keys()]])).flatMap(changeOf)
  if (expected.length === 0) return
  const locked = await transaction.query<ConditionRow>(locking, [expected.map(({ row }) => row.id)])
  const changes = locked.flatMap(changeOf)
  if (changes.length > 0) await store(transaction, changes)
}

/** Notes what a check has found, unless the flow has got another target meanwhile or is gone. */
export const recordCheck = (
  database: Database,
  clock: Clock,
  flow: { readonly id: Uuid; readonly source_type: string; readonly target: string },
  findings: Parameters<typeof afterCheck>[1],
): Promise<void> =>
  database.transaction(async (transaction) => {
    const [row] = await transaction.query<ConditionRow>(locking, [[flow.id]])
    if (row?.source_type !== flow.source_type || row.target !== flow.target) return
    const now = clock.now()
    await store(transaction, [{ row, after: afterCheck(toCondition(row), findings, now), checkedAt: now }])
  })

/** Forgets what is known of a project's flows through a provider: their credential is another one now. */
export const forgetFlowHealth = async (transaction: Transaction, projectId: Uuid, sourceType: string): Promise<void> => {
  const rows = await transaction.query<{ id: Uuid }>(
    `select id from flows where project_id = $1 and source_type = $2 and (health_status <> 'unknown' or failures_in_row > 0)
     order by id for no key update`,
    [projectId, sourceType],
  )
  if (rows.length > 0)
    await store(
      transaction,
      rows.map(({ id }) => ({ row: { id, project_id: projectId }, after: unknownCondition })),
    )
}
