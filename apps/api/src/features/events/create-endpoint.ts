import type { EventEndpointCreate } from '@flowpost/contract'
import type { z } from 'zod'
import type { Principal } from '../../auth/principal.ts'
import type { Queryable } from '../../database/database.ts'
import { ApiError } from '../../shared/api-error.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Encryption } from '../../shared/encryption.ts'
import { lowestUuid, newUuid } from '../../shared/ids.ts'
import { requireEncryption } from '../../shared/require-encryption.ts'
import { getProject } from '../projects/project.queries.ts'
import { endpointColumns } from './endpoint.queries.ts'
import type { EndpointRow } from './endpoint.serializer.ts'
import { createSecret, encryptSecrets } from './endpoint-secrets.ts'
import { completeBefore } from './position.ts'

/** The dependencies of the use cases that change event endpoints. */
export interface EndpointDeps {
  readonly clock: Clock
  readonly encryption: Encryption
}

// The description of the operation in the contract states this limit.
const maxEndpoints = 20

// An open transaction may have a lower id than this one and commit later. So the endpoint starts before all open transactions.
const insert = `insert into event_endpoints as e (id, project_id, user_id, url, events, active, description, secrets, created_at, updated_at,
    cursor_position, cursor_id)
  values ($1, $2, $3, $4, $5::text[], $6, $7, $8, $9, $9, ${completeBefore}, '${lowestUuid}')
  returning ${endpointColumns}`

/**
 * Creates an event endpoint in a project.
 * @throws ApiError `not_found`, `too_many_event_endpoints` or `encryption_not_configured`.
 */
export const createEndpoint = async (
  transaction: Queryable,
  { clock, encryption }: EndpointDeps,
  principal: Principal,
  projectId: string,
  body: z.output<typeof EventEndpointCreate>,
): Promise<{ readonly row: EndpointRow; readonly secret: string }> => {
  // The lock serializes the check of the limit.
  const project = await getProject(transaction, principal, projectId, 'update')
  const [count] = await transaction.query<{ endpoints: number }>(
    'select count(*)::int as endpoints from event_endpoints where project_id = $1',
    [project.id],
  )
  if ((count?.endpoints ?? 0) >= maxEndpoints)
    throw new ApiError('too_many_event_endpoints', `A project can have up to ${maxEndpoints} event endpoints. Delete one first.`)
  requireEncryption(encryption)
  const id = newUuid()
  const secret = createSecret()
  const [row] = await transaction.query<EndpointRow & object>(insert, [
    id,
    project.id,
    principal.userId,
    body.url,
    distinct(body.events),
    body.active,
    body.description,
    encryptSecrets(encryption, id, { current: secret }),
    clock.now(),
  ])
  if (!row) throw new Error('The insert of the event endpoint returned no row.')
  return { row, secret }
}

/** Returns the items without duplicates. */
export const distinct = <T>(items: readonly T[]): T[] => [...new Set(items)]
