import { projectTopic } from '../../database/changes.ts'
import type { Database } from '../../database/database.ts'
import { notFound } from '../../shared/api-error.ts'
import { fromId, type Uuid } from '../../shared/ids.ts'
import type { Found, LookUps } from '../../shared/look-ups.ts'
import type { Principal } from '../../shared/principal.ts'
import { type CandidateFlow, flowBytes } from '../flows/flow.wire.ts'
import { projectFlows, templatesOfFlows } from '../flows/flow-queries.ts'
import type { Credentials } from '../integrations/credentials.ts'
import { projectUuid } from '../projects/project-queries.ts'
import { credentialsOf } from './capture-decision.ts'
import type { SendBody } from './plan-notification.ts'
import type { Circumstances } from './prepare-notification.ts'

/** What knowing a project needs. */
export interface SendingProjectDeps {
  readonly database: Database
  readonly lookUps: LookUps
  readonly credentials: Credentials
}

const findFlows = async (
  database: Database,
  userId: string,
  projectId: Uuid,
  flowId: Uuid | undefined,
): Promise<Found<readonly CandidateFlow[]> | undefined> => {
  const flows = await projectFlows(database, userId, projectId, flowId)
  if (!flows) return undefined
  return { value: flows, topics: [projectTopic(projectId)], bytes: flows.reduce((sum, flow) => sum + flowBytes(flow), 0) }
}

const flagBytes = 100

/**
 * What is known of the project that a notification is for, as far as it is kept. Whether the project is still there
 * is for the storing to find out.
 * @throws ApiError `not_found` for the project, or for a named flow that is not the project's.
 */
export const sendingProject = async (deps: SendingProjectDeps, principal: Principal, body: SendBody): Promise<Circumstances> => {
  const { database, lookUps, credentials } = deps
  const projectId = projectUuid(principal, body.project_id)
  const flowId = body.flow_id === undefined ? undefined : fromId('flow', body.flow_id)
  if (body.flow_id !== undefined && flowId === undefined) throw notFound()
  const { userId } = principal
  // Read and kept for its user alone: how long a refusal takes must not tell that another user has the project.
  const flows = await lookUps.get(`flows:${projectId}:${flowId ?? ''}:${userId}`, () => findFlows(database, userId, projectId, flowId))
  if (!flows || (flowId !== undefined && flows.length === 0)) throw notFound()
  const owner = { userId, projectId }
  const hasCredential = async (sourceType: string): Promise<boolean> =>
    (await lookUps.get(`credential:${projectId}:${sourceType}`, async () => ({
      value: await credentialsOf(credentials, database, owner)(sourceType),
      topics: [projectTopic(projectId)],
      bytes: flagBytes,
    }))) ?? false
  const templatesOf = (ids: readonly Uuid[]) => templatesOfFlows(database, projectId, ids)
  return { ...owner, flows, templatesOf, hasCredential }
}
