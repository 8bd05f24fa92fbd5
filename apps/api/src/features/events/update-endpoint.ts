import type { EventEndpointUpdate } from '@flowpost/contract'
import { requireMatch } from '@flowpost/contract/rules'
import type { z } from 'zod'
import type { Principal } from '../../auth/principal.ts'
import { type Queryable, timestamp } from '../../database/database.ts'
import { notFound } from '../../shared/api-error.ts'
import type { Clock } from '../../shared/clock.ts'
import { fromId, lowestUuid } from '../../shared/ids.ts'
import { requireEncryption } from '../../shared/require-encryption.ts'
import { distinct, type EndpointDeps } from './create-endpoint.ts'
import { type EndpointPath, endpointColumns, getEndpoint } from './endpoint.queries.ts'
import { type EndpointRow, endpointEtag, toEndpoint } from './endpoint.serializer.ts'
import { createSecret, decryptIfPossible, encryptSecrets, rotate } from './endpoint-secrets.ts'
import { findEventPosition } from './event.queries.ts'
import { notifyEvents } from './event-wakes.ts'
import { completeBefore, feedStart } from './position.ts'
import { requireUrl } from './require-url.ts'

// Takes the endpoint from the worker that sends to it at present: that worker has an older claim.
const restartPushes = `claim = e.claim + 1, lease_until = null, failures = 0, failing_since = null, next_attempt_at = null,
  health_status = 'unknown', health_code = null, health_detail = null, health_since = null`

/** Returns the time to store as `updated_at`. It is later than the last write, so that the entity tag changes. */
const nextUpdatedAt = (clock: Clock, stored: EndpointRow): Date =>
  new Date(Math.max(clock.now().getTime(), Date.parse(timestamp(stored.updated_at)) + 1))

const update = `update event_endpoints e set url = $2, events = $3::text[], active = $4, description = $5, updated_at = $6,
    cursor_position = case when e.url is null and $2::text is not null then ${completeBefore} else e.cursor_position end,
    cursor_id = case when e.url is null and $2::text is not null then '${lowestUuid}'::uuid else e.cursor_id end, ${restartPushes}
  where e.id = $1 returning ${endpointColumns}`

const requireRow = <T>([row]: readonly T[]): T => {
  if (!row) throw new Error('The update of the event endpoint returned no row.')
  return row
}

/**
 * Replaces the fields of an event endpoint, and sends to it again if it was failing or disabled.
 * @throws ApiError `not_found` or `etag_mismatch`.
 */
export const updateEndpoint = async (
  transaction: Queryable,
  { clock }: EndpointDeps,
  principal: Principal,
  path: EndpointPath,
  ifMatch: string | undefined,
  body: z.output<typeof EventEndpointUpdate>,
): Promise<EndpointRow> => {
  const stored = await getEndpoint(transaction, principal, path, true)
  requireMatch(ifMatch, () => endpointEtag(toEndpoint(stored)))
  const values = [stored.id, body.url, distinct(body.events), body.active, body.description, nextUpdatedAt(clock, stored)]
  const row = requireRow(await transaction.query<EndpointRow & object>(update, values))
  await notifyEvents(transaction, [{ userId: principal.userId, projectId: row.project_id }])
  return row
}

/**
 * Deletes an event endpoint with its attempts.
 * @throws ApiError `not_found` or `etag_mismatch`.
 */
export const deleteEndpoint = async (
  transaction: Queryable,
  principal: Principal,
  path: EndpointPath,
  ifMatch: string | undefined,
): Promise<void> => {
  const stored = await getEndpoint(transaction, principal, path, true)
  requireMatch(ifMatch, () => endpointEtag(toEndpoint(stored)))
  await transaction.query('delete from event_endpoints where id = $1', [stored.id])
}

/**
 * Creates a new signing secret. The current one remains valid for 24 hours.
 * @throws ApiError `not_found` or `encryption_not_configured`.
 */
export const rotateSecret = async (
  transaction: Queryable,
  { clock, encryption }: EndpointDeps,
  principal: Principal,
  path: EndpointPath,
): Promise<{ readonly row: EndpointRow; readonly secret: string }> => {
  const stored = await getEndpoint(transaction, principal, path, true)
  requireEncryption(encryption)
  const secret = createSecret()
  const rotated = encryptSecrets(encryption, stored.id, rotate(decryptIfPossible(encryption, stored), secret, clock.now()))
  // A new claim makes the worker that sends to the endpoint at present read the new secret.
  const rows = await transaction.query<EndpointRow & object>(
    `update event_endpoints e set secrets = $2, updated_at = $3, claim = e.claim + 1, lease_until = null
     where e.id = $1 returning ${endpointColumns}`,
    [stored.id, rotated, nextUpdatedAt(clock, stored)],
  )
  return { row: requireRow(rows), secret }
}

/**
 * Continues to send after an event, or with the oldest stored event.
 * @throws ApiError `not_found` or `event_endpoint_without_url`.
 */
export const replayEvents = async (
  transaction: Queryable,
  principal: Principal,
  path: EndpointPath,
  after: string | null,
): Promise<EndpointRow> => {
  const stored = await getEndpoint(transaction, principal, path, true)
  requireUrl(stored)
  const eventId = after === null ? undefined : fromId('event', after)
  if (after !== null && eventId === undefined) throw notFound()
  const position = eventId === undefined ? feedStart : await findEventPosition(transaction, stored.project_id, eventId)
  if (!position) throw notFound()
  const rows = await transaction.query<EndpointRow & object>(
    `update event_endpoints e set cursor_position = $2::bigint, cursor_id = $3, ${restartPushes}
     where e.id = $1 returning ${endpointColumns}`,
    [stored.id, position.position, position.id],
  )
  await notifyEvents(transaction, [{ userId: principal.userId, projectId: stored.project_id }])
  return requireRow(rows)
}
