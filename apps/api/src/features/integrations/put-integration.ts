import type { IntegrationPut } from '@flowpost/contract'
import { type MergedIntegration, requireMatch, secretFieldsOf } from '@flowpost/contract/rules'
import type { Provider, Registry } from '@flowpost/delivery'
import type { z } from 'zod'
import type { Author } from '../../auth/principal.ts'
import { projectTag } from '../../cache-tags.ts'
import type { UnitOfWork } from '../../database/database.ts'
import { etagOf } from '../../http/etag.ts'
import { ApiError, notFound, validationFailed } from '../../shared/api-error.ts'
import { type Clock, timeOfChange } from '../../shared/clock.ts'
import type { Encryption } from '../../shared/encryption.ts'
import { newUuid, type Uuid } from '../../shared/ids.ts'
import { requireEncryption } from '../../shared/require-encryption.ts'
import { getProject } from '../projects/project.queries.ts'
import { recordChanges, type SettingsChange } from '../settings-history/record-changes.ts'
import { findIntegration, type IntegrationPath, integrationColumns } from './integration.queries.ts'
import { type IntegrationRow, integrationState, toIntegration } from './integration.serializer.ts'
import { encryptSecrets, mergeIntegrationBody } from './integration-secrets.ts'

/** Called in the transaction that creates, changes or deletes a project's credential. */
export type CredentialChanged = (transaction: UnitOfWork, projectId: Uuid, sourceType: string) => Promise<void>

/** The dependencies of {@link putIntegration}. */
export interface PutIntegrationDeps {
  readonly clock: Clock
  readonly registry: Registry
  readonly encryption: Encryption
  readonly credentialChanged: CredentialChanged
}

const requireCurrent = (ifMatch: string | undefined, stored: IntegrationRow | undefined): void => {
  if (stored) requireMatch(ifMatch, () => etagOf(toIntegration(stored)))
  // RFC 9110, section 13.1.1: not even `*` matches a resource that does not exist.
  else if (ifMatch !== undefined) throw new ApiError('etag_mismatch', 'The integration does not exist. Omit If-Match to create it.')
}

/**
 * Creates or changes an integration: a project's credentials for a provider.
 * @throws ApiError `not_found`, `etag_mismatch`, `validation_failed` or `encryption_not_configured`.
 */
export const putIntegration = async (
  transaction: UnitOfWork,
  deps: PutIntegrationDeps,
  author: Author,
  path: IntegrationPath,
  ifMatch: string | undefined,
  body: z.output<typeof IntegrationPut>,
): Promise<IntegrationRow> => {
  const { registry, encryption } = deps
  const provider = registry.get(path.source_type)
  if (!provider) throw notFound()
  // The integration may not exist yet. Locking the project keeps two requests from both creating the integration.
  const project = await getProject(transaction, author, path.project_id, 'update')
  // `rotateInbound` changes the entity tag and locks only the integration.
  const stored = await findIntegration(transaction, project.id, provider.id, true)
  requireCurrent(ifMatch, stored)
  const { errors, ...merged } = mergeIntegrationBody(encryption, provider, stored, body)
  if (errors.length > 0) throw validationFailed(errors)
  const row = await storeIntegration(transaction, deps, { projectId: project.id, provider, stored, merged })
  await recordChanges(transaction, author, [changeOfIntegration(project.id, stored, row, body.secrets)])
  return row
}

/**
 * Returns the {@link SettingsChange} that records the creation or update of an integration.
 * @param given the secrets in the request. The value `null` means that the request removes the secret. Every other secret
 * counts as changed, because its value is not compared with the stored value.
 */
export const changeOfIntegration = (
  projectId: Uuid,
  stored: IntegrationRow | undefined,
  row: IntegrationRow,
  given?: Readonly<Record<string, unknown>>,
): SettingsChange => ({
  kind: 'integration',
  projectId,
  resourceId: row.id,
  at: new Date(row.updated_at),
  before: stored ? integrationState(stored) : null,
  after: integrationState(row),
  secretFields: secretFieldsOf(given),
})

/** A valid integration to store. */
export interface IntegrationToStore {
  readonly projectId: Uuid
  readonly provider: Pick<Provider, 'id'>
  /** The currently stored integration, if any. */
  readonly stored: IntegrationRow | undefined
  readonly merged: Pick<MergedIntegration, 'settings' | 'secrets'>
}

/**
 * Stores an integration. The caller must have locked the project.
 * @throws ApiError `encryption_not_configured`.
 */
export const storeIntegration = async (
  transaction: UnitOfWork,
  { clock, encryption, credentialChanged }: Omit<PutIntegrationDeps, 'registry'>,
  { projectId, provider, stored, merged: { settings, secrets } }: IntegrationToStore,
): Promise<IntegrationRow> => {
  if (Object.keys(secrets).length > 0) requireEncryption(encryption)
  // The row is read back, because the database reorders the keys of `settings`, and the entity tag depends on their order.
  const [row] = await transaction.query<IntegrationRow>(
    `insert into integrations as i (project_id, source_type, id, settings, secret_names, secrets, created_at, updated_at)
     values ($1, $2, $3, $4::jsonb, $5::text[], $6, $7, $7)
     on conflict (project_id, source_type) do update set settings = excluded.settings, secret_names = excluded.secret_names,
       secrets = excluded.secrets, updated_at = excluded.updated_at
     returning ${integrationColumns}`,
    [
      projectId,
      provider.id,
      newUuid(),
      JSON.stringify(settings),
      Object.keys(secrets).sort(),
      encryptSecrets(encryption, projectId, provider.id, secrets),
      stored ? timeOfChange(clock, stored) : clock.now(),
    ],
  )
  if (!row) throw new Error('The insert of the integration returned no row.')
  transaction.invalidate(projectTag(projectId))
  await credentialChanged(transaction, projectId, provider.id)
  return row
}
