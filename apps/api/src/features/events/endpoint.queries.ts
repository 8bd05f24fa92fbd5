import type { Principal } from '../../auth/principal.ts'
import { pageLimit, type Queryable } from '../../database/database.ts'
import { notFound } from '../../shared/api-error.ts'
import { fromId, highestUuid, lowestUuid, type Uuid } from '../../shared/ids.ts'
import { projectUuid } from '../projects/project.queries.ts'
import type { EndpointRow, EventAttemptRow } from './endpoint.serializer.ts'

const columnNames = [
  'id',
  'project_id',
  'key',
  'url',
  'events',
  'active',
  'description',
  'created_at',
  'updated_at',
  'next_attempt_at',
  'health_status',
  'health_code',
  'health_detail',
  'health_since',
]

/** The columns of an {@link EndpointRow}, qualified with the table alias `e`. */
export const endpointColumns = columnNames.map((column) => `e.${column}`).join(', ')

/** The path parameters of an event endpoint. */
export interface EndpointPath {
  readonly project_id: string
  readonly endpoint_id: string
}

/** An endpoint with its encrypted secrets. */
export interface EndpointWithSecrets extends EndpointRow {
  readonly secrets: Uint8Array
}

/**
 * Reads an endpoint that the principal may access.
 * @param lock whether to lock the row until the transaction ends.
 * @throws ApiError `not_found`.
 */
export const getEndpoint = async (on: Queryable, principal: Principal, path: EndpointPath, lock = false): Promise<EndpointWithSecrets> => {
  const projectId = projectUuid(principal, path.project_id)
  const id = fromId('eventEndpoint', path.endpoint_id)
  if (id === undefined) throw notFound()
  const [row] = await on.query<EndpointWithSecrets>(
    `select ${endpointColumns}, e.secrets from event_endpoints e join projects p on p.id = e.project_id
     where e.id = $1 and e.project_id = $2 and p.user_id = $3 ${lock ? 'for update of e' : ''}`,
    [id, projectId, principal.userId],
  )
  if (!row) throw notFound()
  return row
}

/** Reads at most `count` endpoints of a project, oldest first. Starts after the endpoint with the UUID `after`, if given. */
export const listEndpoints = (on: Queryable, projectId: Uuid, count: number, after: Uuid | undefined): Promise<EndpointRow[]> =>
  on.query<EndpointRow & object>(
    `select ${endpointColumns} from event_endpoints e where e.project_id = $1 and e.id > $2 order by e.id ${pageLimit('$3')}`,
    [projectId, after ?? lowestUuid, count],
  )

/**
 * Reads at most `count` attempts to send events to an endpoint, newest first. If `before` is given, reads only attempts
 * older than the one with that UUID.
 */
export const listEventAttempts = (on: Queryable, endpointId: Uuid, count: number, before: Uuid | undefined): Promise<EventAttemptRow[]> =>
  on.query<EventAttemptRow & object>(
    `select id, event_id, type, outcome, status, code, detail, duration_ms, created_at from event_attempts
     where endpoint_id = $1 and id < $2 order by id desc ${pageLimit('$3')}`,
    [endpointId, before ?? highestUuid, count],
  )
