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
import { type FlowPath, findOwnedFlow } from './flow-queries.ts'

/** A flow to be shown, and what is needed to know whom to. */
interface ShownFlow {
  readonly userId: string
  readonly projectId: Uuid
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
  const shown = await deps.lookUps.get(`flow:${flowId}`, () => find(deps, flowId))
  if (shown?.userId !== principal.userId || shown.projectId !== projectId) throw notFound()
  return shown
}

const find = async ({ database, channels }: ReadFlowDeps, flowId: Uuid): Promise<Found<ShownFlow> | undefined> => {
  const row = await findOwnedFlow(database, flowId)
  if (!row) return undefined
  const flow = toFlow(row, channels)
  const shown = { userId: row.user_id, projectId: row.project_id, flow, etag: flowEtag(flow) }
  return { value: shown, topics: [projectTopic(row.project_id)], bytes: flowBytes(row) }
}
