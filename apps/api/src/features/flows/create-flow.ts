import type { FlowCreate } from '@flowpost/contract'
import { type Channels, canonicalizeTarget } from '@flowpost/domain'
import type { z } from 'zod'
import type { Author } from '../../auth/principal.ts'
import { projectTag } from '../../cache-tags.ts'
import type { UnitOfWork } from '../../database/database.ts'
import type { Clock } from '../../shared/clock.ts'
import { newUuid } from '../../shared/ids.ts'
import { getProject } from '../projects/project.queries.ts'
import { rejectTaken } from '../projects/reject-taken.ts'
import { recordChanges } from '../settings-history/record-changes.ts'
import { FlowEntity } from './flow.entity.ts'
import { type FlowWithHealthRow, flowState, noHealth } from './flow.serializer.ts'

/** The dependencies of {@link createFlow}. */
export interface CreateFlowDeps {
  readonly clock: Clock
  readonly channels: Channels
}

/**
 * Creates a flow in a project.
 * @throws ApiError `not_found` if the principal's user has no such project, or `key_taken`.
 */
export const createFlow = async (
  transaction: UnitOfWork,
  { clock, channels }: CreateFlowDeps,
  author: Author,
  projectId: string,
  body: z.output<typeof FlowCreate>,
): Promise<FlowWithHealthRow> => {
  const project = await getProject(transaction, author, projectId, 'share')
  const now = clock.now()
  const target = canonicalizeTarget(channels, body.source_type, body.target)
  const row: FlowWithHealthRow = {
    id: newUuid(),
    project_id: project.id,
    ...body,
    key: body.key ?? null,
    target,
    ...noHealth,
    created_at: now,
    updated_at: now,
  }
  transaction.em.create(FlowEntity, {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    key: row.key,
    active: row.active,
    sourceType: row.source_type,
    target: row.target,
    overrideTarget: row.override_target,
    messageTemplate: row.message_template,
    messageTemplateType: row.message_template_type,
    createdAt: now,
    updatedAt: now,
  })
  await rejectTaken(() => transaction.em.flush())
  await recordChanges(transaction, author, [
    { kind: 'flow', projectId: row.project_id, resourceId: row.id, at: now, before: null, after: flowState(row) },
  ])
  transaction.invalidate(projectTag(row.project_id))
  return row
}
