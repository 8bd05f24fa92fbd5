import type { FlowCreate, FlowPatch, FlowUpdate } from '@flowpost/contract'
import { type Channels, canonicalTarget, channelFaults } from '@flowpost/domain'
import type { z } from 'zod'
import type { Principal } from '../../auth/principal.ts'
import { projectTag } from '../../cache-tags.ts'
import type { Database, UnitOfWork } from '../../database/database.ts'
import { requireMatch } from '../../http/etag.ts'
import { inBody, notFound, validationFailed } from '../../shared/api-error.ts'
import type { Clock } from '../../shared/clock.ts'
import { fromId, newUuid, type Uuid } from '../../shared/ids.ts'
import type { PendingChange } from '../projects/pending-change.ts'
import { getProject, projectUuid } from '../projects/project.queries.ts'
import { FlowEntity } from './flow.entity.ts'
import { type FlowPath, getFlow, shownColumns } from './flow.queries.ts'
import { flowEtag, type ShownFlowRow, toFlow, unknownHealth } from './flow.serializer.ts'

/** A flow and its project. */
export interface FlowKey {
  readonly projectId: Uuid
  readonly flowId: Uuid
}

/** What every write of a flow needs. */
export interface FlowWriteDeps {
  readonly clock: Clock
  readonly channels: Channels
}

/** What was known of a flow says nothing about where it sends to now. */
const movedHealth = {
  healthStatus: 'unknown',
  healthCode: null,
  healthDetail: null,
  healthSince: null,
  checkedAt: null,
  failingKind: null,
  failuresInRow: 0,
} as const

/** As {@link movedHealth}, decided by the statement itself. */
const resetWhenMoved = [
  ['health_status', "'unknown'"],
  ['health_code', 'null'],
  ['health_detail', 'null'],
  ['health_since', 'null'],
  ['checked_at', 'null'],
  ['failing_kind', 'null'],
  ['failures_in_row', '0'],
]
  .map(([column, value]) => `${column} = case when f.source_type = $6 and f.target = $7 then f.${column} else ${value} end`)
  .join(', ')

/** Fields of a request that may be left out, whether or not the key is there. */
type Changes = { [K in keyof z.output<typeof FlowPatch>]?: z.output<typeof FlowPatch>[K] | undefined }

/**
 * Makes a flow in a project.
 * @throws ApiError `not_found` for the project.
 */
export const createFlow = async (
  transaction: UnitOfWork,
  deps: FlowWriteDeps,
  principal: Principal,
  projectId: string,
  body: z.output<typeof FlowCreate>,
): Promise<ShownFlowRow> => {
  const project = await getProject(transaction, principal, projectId, 'share')
  const now = deps.clock.now()
  const target = canonicalTarget(deps.channels, body.source_type, body.target)
  const row: ShownFlowRow = { id: newUuid(), project_id: project.id, ...body, target, ...unknownHealth, created_at: now, updated_at: now }
  transaction.em.create(FlowEntity, {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    active: row.active,
    sourceType: row.source_type,
    target: row.target,
    overrideTarget: row.override_target,
    messageTemplate: row.message_template,
    messageTemplateType: row.message_template_type,
    createdAt: now,
    updatedAt: now,
  })
  await transaction.em.flush()
  transaction.invalidate(projectTag(row.project_id))
  return row
}

/**
 * Changes the given fields of a flow; a PUT gives all of them.
 * @throws ApiError `not_found`, `etag_mismatch` or `validation_failed`.
 */
export const updateFlow = async (
  transaction: UnitOfWork,
  deps: FlowWriteDeps,
  principal: Principal,
  path: FlowPath,
  ifMatch: string | undefined,
  changes: Changes,
): Promise<ShownFlowRow> => {
  const before = await getFlow(transaction, principal, path, true)
  requireMatch(ifMatch, () => flowEtag(toFlow(before, deps.channels)))
  const now = deps.clock.now()
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  const merged: ShownFlowRow = { ...before, ...given, updated_at: now }
  const target = canonicalTarget(deps.channels, merged.source_type, merged.target)
  const isMoved = merged.source_type !== before.source_type || target !== before.target
  const after = { ...merged, target, ...(isMoved ? unknownHealth : {}) }
  // Checked before without a lock, when only one of the two was given: another writer may have changed the other since.
  const faults = channelFaults(deps.channels, after)
  if (faults.length > 0) throw validationFailed(inBody(faults))
  await transaction.em.nativeUpdate(
    FlowEntity,
    { id: after.id },
    {
      name: after.name,
      active: after.active,
      sourceType: after.source_type,
      target: after.target,
      overrideTarget: after.override_target,
      messageTemplate: after.message_template,
      messageTemplateType: after.message_template_type,
      ...(isMoved ? movedHealth : {}),
      updatedAt: now,
    },
  )
  transaction.invalidate(projectTag(after.project_id))
  return after
}

const replaceStatement = {
  name: 'replace-flow',
  text: `update flows f set name = $4, active = $5, source_type = $6, target = $7, override_target = $8, message_template = $9,
      message_template_type = $10, updated_at = $11, ${resetWhenMoved}
    from projects p
    where f.id = $1 and f.project_id = $2 and p.id = f.project_id and p.user_id = $3
    returning ${shownColumns}`,
}

/**
 * Replaces a flow whatever it was before, in one statement that has committed.
 * @throws ApiError `not_found`.
 */
export const replaceFlow = async (
  database: Database,
  deps: FlowWriteDeps,
  principal: Principal,
  path: FlowPath,
  body: z.output<typeof FlowUpdate>,
): Promise<ShownFlowRow> => {
  const projectId = projectUuid(principal, path.project_id)
  const flowId = fromId('flow', path.flow_id)
  if (flowId === undefined) throw notFound()
  const [row] = await database.query<ShownFlowRow>(replaceStatement, [
    flowId,
    projectId,
    principal.userId,
    body.name,
    body.active,
    body.source_type,
    canonicalTarget(deps.channels, body.source_type, body.target),
    body.override_target,
    body.message_template,
    body.message_template_type,
    deps.clock.now(),
  ])
  if (!row) throw notFound()
  await database.invalidate(projectTag(projectId))
  return row
}

/**
 * Deletes a flow; `cancelPending` cancels its pending deliveries.
 * @throws ApiError `not_found` or `etag_mismatch`.
 */
export const deleteFlow = async (
  database: Database,
  deps: FlowWriteDeps,
  principal: Principal,
  path: FlowPath,
  ifMatch: string | undefined,
  cancelPending: (flow: FlowKey) => PendingChange,
): Promise<void> => {
  const found = await getFlow(database, principal, path)
  requireMatch(ifMatch, () => flowEtag(toFlow(found, deps.channels)))
  const cancellation = cancelPending({ projectId: found.project_id, flowId: found.id })
  await cancellation.ahead(database)
  await database.unitOfWork(async (transaction) => {
    // Notifications are locked before flows: see the lock order of `recordOutcomes`. A rejection below undoes the cancellation.
    await getProject(transaction, principal, path.project_id, 'update')
    await cancellation.rest(transaction)
    const row = await getFlow(transaction, principal, path, true)
    requireMatch(ifMatch, () => flowEtag(toFlow(row, deps.channels)))
    await transaction.em.nativeDelete(FlowEntity, { id: row.id })
    transaction.invalidate(projectTag(row.project_id))
  })
}
