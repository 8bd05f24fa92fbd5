import type { Flow } from '@flowpost/contract'
import type { Channels } from '@flowpost/domain'
import type { z } from 'zod'
import { projectTopic } from '../../database/changes.ts'
import type { Database } from '../../database/database.ts'
import { notFound } from '../../shared/api-error.ts'
import { fromId, type Uuid } from '../../shared/ids.ts'
import type { Found, LookUps } from '../../shared/look-ups.ts'
import type { Principal } from '../../shared/principal.ts'
import { projectUuid } from '../projects/project-queries.ts'
import { flowBytes, flowEtag, toFlow } from './flow.wire.ts'
import { type FlowPath, findFlowOf } from './flow-queries.ts'

/** A flow to be shown. */
interface ShownFlow {
  readonly flow: z.output<typeof Flow>
  readonly etag: string
}

/** What reading a flow needs. */
export interface ReadFlowDeps {
  readonly database: Database
  readonly lookUps: LookUps
  readonly channels: Channels
}

/**
 * Reads the representation of a flow, or takes the one that is kept.
 * @throws ApiError `not_found`.
 */
export const readFlow = async (deps: ReadFlowDeps, principal: Principal, path: FlowPath): Promise<ShownFlow> => {
  const projectId = projectUuid(principal, path.project_id)
  const flowId = fromId('flow', path.flow_id)
  if (flowId === undefined) throw notFound()
  // Kept for its user alone: who may not see it must wait for the database, as for one that is not there.
  const key = `flow:${flowId}:${projectId}:${principal.userId}`
  const shown = await deps.lookUps.get(key, () => find(deps, principal.userId, projectId, flowId))
  if (!shown) throw notFound()
  return shown
}

const find = async (deps: ReadFlowDeps, userId: string, projectId: Uuid, flowId: Uuid): Promise<Found<ShownFlow> | undefined> => {
  const row = await findFlowOf(deps.database, userId, projectId, flowId)
  if (!row) return undefined
  const flow = toFlow(row, deps.channels)
  return { value: { flow, etag: flowEtag(flow) }, topics: [projectTopic(projectId)], bytes: flowBytes(row) }
}
