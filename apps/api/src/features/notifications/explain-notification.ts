import type { NotificationExplanation } from '@flowpost/contract'
import { type Channels, explainDeliveries, type StoredTarget } from '@flowpost/domain'
import type { z } from 'zod'
import type { Principal } from '../../auth/principal.ts'
import { type Database, type Queryable, timestamp } from '../../database/database.ts'
import { notFound } from '../../shared/api-error.ts'
import { fromId, toId, type Uuid } from '../../shared/ids.ts'
import { readFlowStates } from '../settings-history/flow-states.ts'

/** The dependencies of {@link explainNotification}. */
export interface ExplainDeps {
  readonly database: Database
  readonly channels: Channels
}

type Explanation = z.output<typeof NotificationExplanation>
type Unknown = NonNullable<Explanation['unknown']>

interface ExplainedRow {
  readonly id: Uuid
  readonly project_id: Uuid
  readonly created_at: string
  readonly named_flow_id: Uuid | null
  /**
   * Whether the request had a `target`; `null` if an earlier release accepted the notification without recording this.
   */
  readonly has_target: boolean | null
}

const findNotification = `select id, project_id, created_at, named_flow_id, has_target from notifications
  where id = $1 and user_id = $2 and ($3::uuid is null or project_id = $3)`

const getRow = async (on: Queryable, principal: Principal, id: string): Promise<ExplainedRow> => {
  const uuid = fromId('notification', id)
  if (uuid === undefined) throw notFound()
  const [row] = await on.query<ExplainedRow>(findNotification, [uuid, principal.userId, principal.projectId ?? null])
  if (!row) throw notFound()
  return row
}

const readTargets = async (on: Queryable, notificationId: Uuid): Promise<StoredTarget[]> => {
  const rows = await on.query<{ flow_id: Uuid; source_type: string; target: string }>(
    'select flow_id, source_type, target from deliveries where notification_id = $1',
    [notificationId],
  )
  return rows.map(({ flow_id, source_type, target }) => ({ flowId: toId('flow', flow_id), sourceType: source_type, target }))
}

const beforeHistory = (start: string): Unknown => ({
  code: 'before_history',
  detail: `The notification was accepted before ${start}, when the recorded settings history starts.`,
})

const requestNotRecorded: Unknown = {
  code: 'request_not_recorded',
  detail: 'The notification was accepted by an earlier release, which did not record the flow and the target in the request.',
}

const settingsNotRecorded: Unknown = {
  code: 'settings_not_recorded',
  detail:
    'The recorded settings do not match the deliveries. Perhaps a server of an earlier release changed settings without recording the change.',
}

/**
 * Explains which flows a notification triggered, and why it skipped the others, according to the settings at the time
 * of acceptance.
 * @throws ApiError `not_found`.
 */
export const explainNotification = async ({ database, channels }: ExplainDeps, principal: Principal, id: string): Promise<Explanation> => {
  const row = await getRow(database, principal, id)
  const { project_id, named_flow_id, has_target } = row
  const flowId = named_flow_id === null ? null : toId('flow', named_flow_id)
  const accepted_at = timestamp(row.created_at)
  const notification = { notification_id: toId('notification', row.id), accepted_at }
  const request = has_target === null ? null : { flow_id: flowId, has_target }
  const unexplained = (unknown: Unknown): Explanation => ({ ...notification, request, flows: null, unknown })

  const { start, flows } = await readFlowStates(database, principal.userId, project_id, new Date(accepted_at))
  if (new Date(accepted_at) < start) return unexplained(beforeHistory(start.toISOString()))
  if (!request) return unexplained(requestNotRecorded)
  const effects = explainDeliveries({
    address: { flowId: flowId ?? undefined, hasTarget: request.has_target },
    deliveries: await readTargets(database, row.id),
    flows,
    channelOf: channels.get,
  })
  if (!effects) return unexplained(settingsNotRecorded)
  const explained = effects.map(({ flowId: flow_id, flow: { key, name, source_type }, outcome, reason }) => ({
    flow_id,
    key,
    name,
    source_type,
    outcome,
    reason,
  }))
  return { ...notification, request, flows: explained, unknown: null }
}
