import { hash, randomBytes } from 'node:crypto'
import type { Registry } from '@flowpost/delivery'
import type { Author } from '../../auth/principal.ts'
import type { Queryable } from '../../database/database.ts'
import { ApiError } from '../../shared/api-error.ts'
import { type Clock, timeOfChange } from '../../shared/clock.ts'
import type { Uuid } from '../../shared/ids.ts'
import { recordChanges } from '../settings-history/record-changes.ts'
import { getIntegration, type IntegrationPath } from './integration.queries.ts'
import { integrationState } from './integration.serializer.ts'

/**
 * The prefix of the tokens in inbound addresses, the URLs to which providers post delivery reports. Scanners for leaked
 * secrets can search for it.
 */
const prefix = 'fpi_'
const tokenPattern = /^fpi_[A-Za-z0-9_-]{32}$/
const tokenBytes = 24

/** How long the previous address stays valid after a rotation, in milliseconds. */
const previousInboundMs = 24 * 3_600_000

/**
 * Returns the SHA-256 hash of an inbound address's token, or `undefined` if the token is malformed. Only the hash is
 * stored. A fast hash is safe, because a token has 192 random bits.
 */
export const hashInboundToken = (token: string): Buffer | undefined =>
  tokenPattern.test(token) ? hash('sha256', token, 'buffer') : undefined

/** A new inbound address. */
export interface CreatedInbound {
  readonly path: string
  readonly rotated_at: string | Date
  readonly previous_inbound_expires_at: string | Date | null
}

/**
 * Creates a new inbound address for an integration. The previous address stays valid for a day. Older addresses become
 * invalid immediately.
 * @throws ApiError `not_found`, or `inbound_not_supported` if the provider does not post reports.
 */
export const rotateInbound = async (
  transaction: Queryable,
  { clock, registry }: { readonly clock: Clock; readonly registry: Registry },
  author: Author,
  path: IntegrationPath,
): Promise<CreatedInbound> => {
  const integration = await getIntegration(transaction, author, path, true)
  const { project_id, source_type } = integration
  if (!registry.get(source_type)?.readReport)
    throw new ApiError(
      'inbound_not_supported',
      `${source_type} sends no delivery reports. Record receipts with POST /v1/deliveries/{id}/receipt.`,
    )
  const token = `${prefix}${randomBytes(tokenBytes).toString('base64url')}`
  const now = timeOfChange(clock, integration)
  const [row] = await transaction.query<Omit<CreatedInbound, 'path'>>(
    `update integrations set previous_inbound_hash = inbound_hash,
       previous_inbound_expires_at = case when inbound_hash is not null then $5::timestamptz end, inbound_hash = $3, inbound_rotated_at = $4
     where project_id = $1 and source_type = $2 returning inbound_rotated_at as rotated_at, previous_inbound_expires_at`,
    [project_id, source_type, hashInboundToken(token), now, new Date(now.getTime() + previousInboundMs)],
  )
  if (!row) throw new Error('The update of the integration returned no row.')
  const state = integrationState(integration)
  const change = { kind: 'integration' as const, projectId: project_id, resourceId: integration.id, at: now, before: state, after: state }
  await recordChanges(transaction, author, [{ ...change, secretFields: ['/inbound'] }])
  return { path: `/v1/inbound/${source_type}/${token}`, ...row }
}

/** The integration to which an inbound address belongs. */
export interface InboundIntegration {
  readonly id: Uuid
  readonly user_id: string
  readonly project_id: Uuid
  readonly source_type: string
  readonly settings: unknown
  readonly secrets: Uint8Array | null
}

const find = {
  name: 'integration-of-inbound',
  text: `select i.id, p.user_id, i.project_id, i.source_type, i.settings, i.secrets from integrations i join projects p on p.id = i.project_id
    where i.source_type = $2 and (i.inbound_hash = $1 or i.previous_inbound_hash = $1 and i.previous_inbound_expires_at > $3)`,
}

/** Finds the integration to which an inbound address belongs. */
export const findInbound = async (
  on: Queryable,
  clock: Clock,
  sourceType: string,
  tokenHash: Buffer,
): Promise<InboundIntegration | undefined> => {
  const [row] = await on.query<InboundIntegration>(find, [tokenHash, sourceType, clock.now()])
  return row
}
