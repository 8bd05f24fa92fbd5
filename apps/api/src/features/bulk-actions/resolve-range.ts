import type { BulkActionCreate } from '@flowpost/contract'
import type { z } from 'zod'
import type { Principal } from '../../auth/principal.ts'
import type { Queryable } from '../../database/database.ts'
import { firstUuidOf, highestUuid, lowestUuid, type Uuid } from '../../shared/ids.ts'
import { getFlow } from '../flows/flow.queries.ts'
import { getProject } from '../projects/project.queries.ts'
import type { AppliedFilter } from './bulk-action.serializer.ts'
import type { Position, Selection } from './selected-deliveries.ts'

/** The body of a request that creates a bulk action. */
export type BulkActionBody = z.output<typeof BulkActionCreate>

const toIso = (time: string): string => new Date(time).toISOString()

/** Converts a request's filter to the form that responses use. */
export const toAppliedFilter = ({ filter }: BulkActionBody): AppliedFilter => ({
  project_id: filter.project_id,
  created_after: toIso(filter.created_after),
  created_before: filter.created_before === undefined ? null : toIso(filter.created_before),
  flow_id: filter.flow_id ?? null,
  source_type: filter.source_type ?? null,
  status: filter.status ?? null,
  failure_kind: filter.failure_kind ?? null,
  failure_code: filter.failure_code ?? null,
})

/** The deliveries that a request selects, and the position at which the selection starts. */
export interface Range {
  readonly selection: Selection
  readonly start: Position
}

// The range ends at the last existing notification, so messages that are accepted later are never part of the action.
const lastNotification = 'select id from notifications where project_id = $1 and id < $2 order by id desc limit 1'

/**
 * Determines which deliveries a request selects.
 * @throws ApiError `not_found` for an unknown project, or for a flow that is not in the project.
 */
export const resolveRange = async (
  on: Queryable,
  principal: Principal,
  { action, filter: given }: BulkActionBody,
  filter: AppliedFilter,
): Promise<Range> => {
  const { id: projectId } = await getProject(on, principal, filter.project_id)
  if (filter.flow_id !== null) await getFlow(on, principal, { project_id: filter.project_id, flow_id: filter.flow_id })
  const before = given.created_before === undefined ? highestUuid : firstUuidOf(new Date(given.created_before))
  const [last] = await on.query<{ id: Uuid }>(lastNotification, [projectId, before])
  return {
    selection: { action, projectId, filter, lastNotificationId: last?.id ?? lowestUuid },
    start: { notificationId: firstUuidOf(new Date(given.created_after)), deliveryId: lowestUuid },
  }
}
