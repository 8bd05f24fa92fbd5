import type { Queryable } from '../../database/database.ts'
import { notFound } from '../../shared/api-error.ts'
import { fromId, type Uuid } from '../../shared/ids.ts'
import { candidateFlows } from '../flows/flow.queries.ts'
import type { CandidateFlow } from '../flows/flow.serializer.ts'

/**
 * The flows that a notification may trigger: the one that it names, or all of the project.
 * @throws ApiError `not_found` for a named flow that is not the project's.
 */
export const matchingFlows = async (on: Queryable, projectId: Uuid, flowId: string | undefined): Promise<CandidateFlow[]> => {
  const uuid = flowId === undefined ? undefined : fromId('flow', flowId)
  if (flowId !== undefined && uuid === undefined) throw notFound()
  const flows = await candidateFlows(on, projectId, uuid)
  if (uuid !== undefined && flows.length === 0) throw notFound()
  return flows
}
