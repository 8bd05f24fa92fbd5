import { type EventEndpointCreate, maxEventEndpoints } from '@flowpost/contract'
import { tooManyEventEndpoints } from '@flowpost/contract/rules'
import type { z } from 'zod'
import type { Author } from '../../auth/principal.ts'
import { projectTag } from '../../cache-tags.ts'
import type { Queryable, Transaction } from '../../database/database.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Encryption } from '../../shared/encryption.ts'
import { lowestUuid, newUuid, type Uuid } from '../../shared/ids.ts'
import { requireEncryption } from '../../shared/require-encryption.ts'
import { getProject } from '../projects/project.queries.ts'
import { rejectTaken } from '../projects/reject-taken.ts'
import { recordChanges } from '../settings-history/record-changes.ts'
import { endpointColumns } from './endpoint.queries.ts'
import { changeOfEndpoint, type EndpointRow } from './endpoint.serializer.ts'
import { createSecret, encryptSecrets } from './endpoint-secrets.ts'
import { completeBefore } from './position.ts'

/** The dependencies for changing event endpoints. */
export interface EndpointDeps {
  readonly clock: Clock
  readonly encryption: Encryption
}

// Events are ordered by transaction id. Another transaction that is still open may have a lower id than the current transaction,
// and commit later. The endpoint's cursor therefore starts before the events of all open transactions. Otherwise, the endpoint
// could miss these events.
const insert = `insert into event_endpoints as e (id, project_id, user_id, url, events, active, description, secrets, created_at, updated_at,
    cursor_position, cursor_id, key)
  values ($1, $2, $3, $4, $5::text[], $6, $7, $8, $9, $9, ${completeBefore}, '${lowestUuid}', $10)
  returning ${endpointColumns}`

/** A newly created event endpoint with its signing secret. */
export interface CreatedEndpoint {
  readonly row: EndpointRow
  readonly secret: string
}

/**
 * Creates an event endpoint in a project.
 * @throws ApiError `not_found`, `key_taken`, `too_many_event_endpoints` or `encryption_not_configured`.
 */
export const createEndpoint = async (
  transaction: Transaction,
  deps: EndpointDeps,
  author: Author,
  projectId: string,
  body: z.output<typeof EventEndpointCreate>,
): Promise<CreatedEndpoint> => {
  // The project lock prevents concurrent requests from exceeding the endpoint limit.
  const project = await getProject(transaction, author, projectId, 'update')
  const [count] = await transaction.query<{ endpoints: number }>(
    'select count(*)::int as endpoints from event_endpoints where project_id = $1',
    [project.id],
  )
  if ((count?.endpoints ?? 0) >= maxEventEndpoints) throw tooManyEventEndpoints()
  transaction.invalidate(projectTag(project.id))
  const created = await insertEndpoint(transaction, deps, { userId: author.userId, projectId: project.id }, body)
  await recordChanges(transaction, author, [changeOfEndpoint(null, created.row)])
  return created
}

/**
 * Stores a new event endpoint. The caller must have locked the project and checked its number of endpoints.
 * @throws ApiError `key_taken` or `encryption_not_configured`.
 */
export const insertEndpoint = async (
  transaction: Queryable,
  { clock, encryption }: EndpointDeps,
  owner: { readonly userId: string; readonly projectId: Uuid },
  body: z.output<typeof EventEndpointCreate>,
): Promise<CreatedEndpoint> => {
  requireEncryption(encryption)
  const id = newUuid()
  const secret = createSecret()
  const values = [
    id,
    owner.projectId,
    owner.userId,
    body.url,
    distinct(body.events),
    body.active,
    body.description,
    encryptSecrets(encryption, id, { current: secret }),
    clock.now(),
    body.key ?? null,
  ]
  const [row] = await rejectTaken(() => transaction.query<EndpointRow & object>(insert, values))
  if (!row) throw new Error('The insert of the event endpoint returned no row.')
  return { row, secret }
}

/** Returns the items without duplicates. */
export const distinct = <T>(items: readonly T[]): T[] => [...new Set(items)]
