import type { IntegrationPut } from '@flowpost/contract'
import type { Registry } from '@flowpost/delivery'
import type { z } from 'zod'
import type { Principal } from '../../auth/principal.ts'
import { projectTag } from '../../cache-tags.ts'
import { type Database, timestamp, type UnitOfWork } from '../../database/database.ts'
import { etagOf, requireMatch } from '../../http/etag.ts'
import { ApiError, notFound, validationFailed } from '../../shared/api-error.ts'
import type { Clock } from '../../shared/clock.ts'
import type { Encryption } from '../../shared/encryption.ts'
import { newUuid, type Uuid } from '../../shared/ids.ts'
import type { PendingChange } from '../projects/pending-change.ts'
import { getProject } from '../projects/project.queries.ts'
import { checkIntegration } from './check-integration.ts'
import { IntegrationEntity } from './integration.entity.ts'
import { findIntegration, getIntegration, type IntegrationPath } from './integration.queries.ts'
import { type IntegrationRow, toIntegration } from './integration.serializer.ts'
import { sealSecrets } from './sealed-secrets.ts'

/** What every write of an integration needs. */
export interface IntegrationWriteDeps {
  readonly clock: Clock
  readonly registry: Registry
  readonly encryption: Encryption
  /** Told in the transaction that changes or removes a project's credential. */
  readonly credentialChanged: (transaction: UnitOfWork, projectId: Uuid, sourceType: string) => Promise<void>
  /** Keeps the open deliveries of a project from another credential, when its own is being deleted. */
  readonly revokeCredential: (projectId: Uuid, sourceType: string) => PendingChange
}

/** Now, but later than the last write: a secret can change without the rest of the representation, and the entity tag must too. */
const nextInstant = (now: Date, before: IntegrationRow | undefined): Date =>
  before ? new Date(Math.max(now.getTime(), Date.parse(timestamp(before.updated_at)) + 1)) : now

const requirePresent = (ifMatch: string | undefined, stored: IntegrationRow | undefined): void => {
  if (stored) requireMatch(ifMatch, () => etagOf(toIntegration(stored)))
  // RFC 9110, section 13.1.1: not even `*` matches what does not exist.
  else if (ifMatch !== undefined) throw new ApiError('etag_mismatch', 'There is no such integration yet. Leave out If-Match to make it.')
}

/**
 * Sets a project's own credentials for a provider, or makes them.
 * @throws ApiError `not_found`, `etag_mismatch`, `validation_failed` or `encryption_not_configured`.
 */
export const putIntegration = async (
  transaction: UnitOfWork,
  deps: IntegrationWriteDeps,
  principal: Principal,
  path: IntegrationPath,
  ifMatch: string | undefined,
  body: z.output<typeof IntegrationPut>,
): Promise<IntegrationRow> => {
  const provider = deps.registry.get(path.source_type)
  if (!provider) throw notFound()
  // The lock of the project, because there may be no integration yet: two writers must not both merge into nothing.
  const project = await getProject(transaction, principal, path.project_id, 'update')
  const stored = await findIntegration(transaction, project.id, provider.id)
  requirePresent(ifMatch, stored)
  const { settings, secrets, faults } = checkIntegration(deps.encryption, provider, stored, body)
  if (faults.length > 0) throw validationFailed(faults)
  if (Object.keys(secrets).length > 0 && deps.encryption.sealingKeyId === undefined)
    throw new ApiError(
      'encryption_not_configured',
      'This deployment cannot keep secrets: its operator has to set FLOWPOST_ENCRYPTION_KEY to `<id>:<base64 of 32 bytes>`.',
    )
  const now = nextInstant(deps.clock.now(), stored)
  // Read back, because the database decides on the order of keys, and with it on the entity tag.
  const [row] = await transaction.query<IntegrationRow>(
    `insert into integrations (project_id, source_type, id, settings, secret_names, secrets, created_at, updated_at)
     values ($1, $2, $3, $4::jsonb, $5::text[], $6, $7, $7)
     on conflict (project_id, source_type) do update set settings = excluded.settings, secret_names = excluded.secret_names,
       secrets = excluded.secrets, updated_at = excluded.updated_at
     returning id, source_type, settings, secret_names, created_at, updated_at`,
    [
      project.id,
      provider.id,
      newUuid(),
      JSON.stringify(settings),
      Object.keys(secrets).sort(),
      sealSecrets(deps.encryption, project.id, provider.id, secrets),
      now,
    ],
  )
  if (!row) throw new Error('The integration was not stored.')
  transaction.invalidate(projectTag(project.id))
  await deps.credentialChanged(transaction, project.id, provider.id)
  return row
}

/**
 * Deletes a project's own credentials for a provider.
 * @throws ApiError `not_found` or `etag_mismatch`.
 */
export const deleteIntegration = async (
  database: Database,
  deps: Pick<IntegrationWriteDeps, 'credentialChanged' | 'revokeCredential'>,
  principal: Principal,
  path: IntegrationPath,
  ifMatch: string | undefined,
): Promise<void> => {
  const found = await getIntegration(database, principal, path)
  requireMatch(ifMatch, () => etagOf(toIntegration(found)))
  const revocation = deps.revokeCredential(found.project_id, found.source_type)
  await revocation.ahead(database)
  await database.unitOfWork(async (transaction) => {
    await getProject(transaction, principal, path.project_id, 'update')
    const row = await getIntegration(transaction, principal, path, true)
    requireMatch(ifMatch, () => etagOf(toIntegration(row)))
    await revocation.rest(transaction)
    await transaction.em.nativeDelete(IntegrationEntity, { projectId: row.project_id, sourceType: row.source_type })
    transaction.invalidate(projectTag(row.project_id))
    await deps.credentialChanged(transaction, row.project_id, row.source_type)
  })
}
