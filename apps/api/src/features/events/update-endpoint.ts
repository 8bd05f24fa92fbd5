import type { EventEndpointUpdate } from '@flowpost/contract'
import { requireMatch } from '@flowpost/contract/rules'
import type { z } from 'zod'
import type { Author, Principal } from '../../auth/principal.ts'
import { projectTag } from '../../cache-tags.ts'
import type { Queryable, Transaction } from '../../database/database.ts'
import { notFound } from '../../shared/api-error.ts'
import { type Clock, timeOfChange } from '../../shared/clock.ts'
import { fromId, lowestUuid } from '../../shared/ids.ts'
import { requireEncryption } from '../../shared/require-encryption.ts'
import { getProject } from '../projects/project.queries.ts'
import { rejectTaken } from '../projects/reject-taken.ts'
import { recordChanges } from '../settings-history/record-changes.ts'
import { distinct, type EndpointDeps } from './create-endpoint.ts'
import { type EndpointPath, endpointColumns, getEndpoint } from './endpoint.queries.ts'
import { changeOfEndpoint, type EndpointRow, endpointEtag, toEndpoint } from './endpoint.serializer.ts'
import { createSecret, decryptIfPossible, encryptSecrets, rotate, unreadableCode } from './endpoint-secrets.ts'
import { findEventPosition } from './event.queries.ts'
import { notifyEvents } from './event-wakes.ts'
import { completeBefore, feedStart } from './position.ts'
import { requireEndpointUrl } from './require-endpoint-url.ts'

// Increments the claim, so that a worker that is sending to the endpoint loses its lease.
const endLease = 'claim = e.claim + 1, lease_until = null'
const restartPushes = `${endLease}, failures = 0, failing_since = null, next_attempt_at = null,
  health_status = 'unknown', health_code = null, health_detail = null, health_since = null`

const update = `update event_endpoints e set url = $2, events = $3::text[], active = $4, description = $5, updated_at = $6, key = $7,
    cursor_position = case when e.url is null and $2::text is not null then ${completeBefore} else e.cursor_position end,
    cursor_id = case when e.url is null and $2::text is not null then '${lowestUuid}'::uuid else e.cursor_id end, ${restartPushes}
  where e.id = $1 returning ${endpointColumns}`

const requireRow = <T>([row]: readonly T[]): T => {
  if (!row) throw new Error('The update of the event endpoint returned no row.')
  return row
}

/**
 * Replaces an event endpoint's fields, and resumes sending to the endpoint if it was failing or disabled.
 * @throws ApiError `not_found`, `key_taken` or `etag_mismatch`.
 */
export const updateEndpoint = async (
  transaction: Transaction,
  { clock }: EndpointDeps,
  author: Author,
  path: EndpointPath,
  ifMatch: string | undefined,
  body: z.output<typeof EventEndpointUpdate>,
): Promise<EndpointRow> => {
  // Endpoint keys must not change while another transaction holds an `update` lock on the project. The `share` lock waits
  // for that transaction.
  if (body.key !== undefined) await getProject(transaction, author, path.project_id, 'share')
  const stored = await getEndpoint(transaction, author, path, true)
  requireMatch(ifMatch, () => endpointEtag(toEndpoint(stored)))
  transaction.invalidate(projectTag(stored.project_id))
  const row = await writeEndpoint(transaction, clock, author.userId, stored, body)
  await recordChanges(transaction, author, [changeOfEndpoint(stored, row)])
  return row
}

/**
 * Writes an event endpoint's fields. The caller must have locked the endpoint. If the body has no key, the stored key
 * remains.
 * @throws ApiError `key_taken`.
 */
export const writeEndpoint = async (
  transaction: Queryable,
  clock: Clock,
  userId: string,
  stored: EndpointRow,
  { url, events, active, description, key = stored.key }: z.output<typeof EventEndpointUpdate>,
): Promise<EndpointRow> => {
  const values = [stored.id, url, distinct(events), active, description, timeOfChange(clock, stored), key]
  const row = requireRow(await rejectTaken(() => transaction.query<EndpointRow & object>(update, values)))
  await notifyEvents(transaction, [{ userId, projectId: row.project_id }])
  return row
}

/**
 * Deletes an event endpoint and its attempts.
 * @throws ApiError `not_found` or `etag_mismatch`.
 */
export const deleteEndpoint = async (
  transaction: Transaction,
  { clock }: EndpointDeps,
  author: Author,
  path: EndpointPath,
  ifMatch: string | undefined,
): Promise<void> => {
  const stored = await getEndpoint(transaction, author, path, true)
  requireMatch(ifMatch, () => endpointEtag(toEndpoint(stored)))
  transaction.invalidate(projectTag(stored.project_id))
  await transaction.query('delete from event_endpoints where id = $1', [stored.id])
  await recordChanges(transaction, author, [changeOfEndpoint(stored, null, { at: timeOfChange(clock, stored) })])
}

/**
 * Replaces an endpoint's signing secret. The previous secret remains valid for 24 hours. Resumes sending to the endpoint if
 * it was failing or disabled because its secret could not be decrypted.
 * @throws ApiError `not_found` or `encryption_not_configured`.
 */
export const rotateSecret = async (
  transaction: Queryable,
  { clock, encryption }: EndpointDeps,
  author: Author,
  path: EndpointPath,
): Promise<{ readonly row: EndpointRow; readonly secret: string }> => {
  const stored = await getEndpoint(transaction, author, path, true)
  requireEncryption(encryption)
  const secret = createSecret()
  const rotated = encryptSecrets(encryption, stored.id, rotate(decryptIfPossible(encryption, stored), secret, clock.now()))
  const wasUnreadable = stored.health_code === unreadableCode
  // A worker may be sending to the endpoint with the previous secret. Ending its lease discards the result. The worker that
  // claims the endpoint next reads the new secret.
  const rows = await transaction.query<EndpointRow & object>(
    `update event_endpoints e set secrets = $2, updated_at = $3, ${wasUnreadable ? restartPushes : endLease}
     where e.id = $1 returning ${endpointColumns}`,
    [stored.id, rotated, timeOfChange(clock, stored)],
  )
  const row = requireRow(rows)
  if (wasUnreadable) await notifyEvents(transaction, [{ userId: author.userId, projectId: row.project_id }])
  await recordChanges(transaction, author, [changeOfEndpoint(stored, row, { secretFields: ['/secret'] })])
  return { row, secret }
}

/**
 * Moves an endpoint's cursor, so that sending continues after the event `after`, or starts over with the oldest stored
 * event if `after` is `null`.
 * @throws ApiError `not_found` or `event_endpoint_without_url`.
 */
export const replayEvents = async (
  transaction: Queryable,
  principal: Principal,
  path: EndpointPath,
  after: string | null,
): Promise<EndpointRow> => {
  const stored = await getEndpoint(transaction, principal, path, true)
  requireEndpointUrl(stored)
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
