import { maxSettingsFlows, maxSettingsTemplateBytes } from '@flowpost/contract'
import { type SettingsBody, settingsTooLarge } from '@flowpost/contract/rules'
import { projectTag } from '../../cache-tags.ts'
import type { Queryable, Transaction } from '../../database/database.ts'
import { newUuid, type Uuid } from '../../shared/ids.ts'
import { rejectTaken } from '../projects/reject-taken.ts'
import { flowColumns } from './flow.queries.ts'
import type { FlowRow } from './flow.serializer.ts'
import { resetHealthSql } from './update-flow.ts'

/** A flow that has a key. */
export interface KeyedFlowRow extends FlowRow {
  readonly key: string
}

/** A flow in a settings document. */
export type KeyedFlow = SettingsBody['flows'][number]

// If the templates are too large in total, the query returns none of them, so that a project with many large templates does not
// use much memory.
const keyedFlows = `select ${flowColumns.replace(
  'f.message_template,',
  `case when sum(octet_length(f.message_template)) over () <= ${maxSettingsTemplateBytes} then f.message_template end as message_template,`,
)} from flows f where f.project_id = $1 and f.key is not null order by f.id limit ${maxSettingsFlows + 1}`

/**
 * Reads a project's flows that have a key, oldest first. The caller must have checked that the project belongs to the
 * user.
 * @param lock whether to lock the flows until the transaction ends.
 * @throws ApiError `settings_too_large` if too many flows have a key, or if their templates together are too large.
 */
export const listKeyedFlows = async (on: Queryable, projectId: Uuid, lock: boolean): Promise<KeyedFlowRow[]> => {
  // A separate statement locks the flows, because `keyedFlows` has a window function and therefore cannot lock rows.
  if (lock) await on.query('select 1 from flows where project_id = $1 and key is not null order by id for update', [projectId])
  const rows = await on.query<Omit<KeyedFlowRow, 'message_template'> & { readonly message_template: string | null }>(keyedFlows, [
    projectId,
  ])
  if (rows.length > maxSettingsFlows) throw settingsTooLarge()
  return rows.map((row) => {
    if (row.message_template === null) throw settingsTooLarge()
    return { ...row, message_template: row.message_template }
  })
}

/** Counts a project's flows that have no key. */
export const countFlowsWithoutKey = async (on: Queryable, projectId: Uuid): Promise<number> => {
  const [row] = await on.query<{ count: number }>('select count(*)::int as count from flows where project_id = $1 and key is null', [
    projectId,
  ])
  return row?.count ?? 0
}

const record = `json_to_recordset($1::json) as r(id uuid, key text, name text, active boolean, source_type text, target text,
  override_target boolean, message_template text, message_template_type text)`

/** Creates flows with keys. The caller must have locked the project. Returns the flow ids, keyed by flow key. */
export const insertKeyedFlows = async (
  transaction: Transaction,
  projectId: Uuid,
  flows: readonly KeyedFlow[],
  now: Date,
): Promise<ReadonlyMap<string, Uuid>> => {
  const rows = flows.map((flow) => ({ id: newUuid(), ...flow }))
  await rejectTaken(() =>
    transaction.query(
      `insert into flows (id, project_id, key, name, active, source_type, target, override_target, message_template,
         message_template_type, health_status, failures_in_row, created_at, updated_at)
       select id, $2, key, name, active, source_type, target, override_target, message_template, message_template_type,
         'unknown', 0, $3, $3
       from ${record}`,
      [JSON.stringify(rows), projectId, now],
    ),
  )
  transaction.invalidate(projectTag(projectId))
  return new Map(rows.map(({ key, id }) => [key, id]))
}

/** Replaces all fields of flows except their keys. The caller must have locked the flows. */
export const updateKeyedFlows = async (
  transaction: Transaction,
  projectId: Uuid,
  updates: readonly { readonly given: KeyedFlow; readonly stored: KeyedFlowRow }[],
  now: Date,
): Promise<void> => {
  await transaction.query(
    `update flows f set name = r.name, active = r.active, source_type = r.source_type, target = r.target,
       override_target = r.override_target, message_template = r.message_template, message_template_type = r.message_template_type,
       updated_at = $3, ${resetHealthSql('r.source_type', 'r.target')}
     from ${record} where f.id = r.id and f.project_id = $2`,
    [JSON.stringify(updates.map(({ given, stored }) => ({ ...given, id: stored.id }))), projectId, now],
  )
  transaction.invalidate(projectTag(projectId))
}

/** Deletes flows. The caller must have canceled their pending deliveries. */
export const deleteKeyedFlows = async (transaction: Transaction, projectId: Uuid, ids: readonly Uuid[]): Promise<void> => {
  await transaction.query('delete from flows where project_id = $1 and id = any($2::uuid[])', [projectId, ids])
  transaction.invalidate(projectTag(projectId))
}
