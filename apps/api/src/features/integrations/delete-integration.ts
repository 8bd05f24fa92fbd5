import { requireMatch } from '@flowpost/contract/rules'
import type { Principal } from '../../auth/principal.ts'
import { projectTag } from '../../cache-tags.ts'
import type { Database } from '../../database/database.ts'
import { etagOf } from '../../http/etag.ts'
import type { Uuid } from '../../shared/ids.ts'
import type { PendingChange } from '../projects/delete-project.ts'
import { getProject } from '../projects/project.queries.ts'
import { IntegrationEntity } from './integration.entity.ts'
import { getIntegration, type IntegrationPath } from './integration.queries.ts'
import { toIntegration } from './integration.serializer.ts'
import type { CredentialChanged } from './put-integration.ts'

/** The dependencies of {@link deleteIntegration}. */
export interface DeleteIntegrationDeps {
  readonly credentialChanged: CredentialChanged
  /** Keeps the pending deliveries of a project from being sent with the deployment's credential instead. */
  readonly revokeCredential: (projectId: Uuid, sourceType: string) => PendingChange
}

/**
 * Deletes the credentials of a project for a provider.
 * @throws ApiError `not_found` or `etag_mismatch`.
 */
export const deleteIntegration = async (
  database: Database,
  { credentialChanged, revokeCredential }: DeleteIntegrationDeps,
  principal: Principal,
  path: IntegrationPath,
  ifMatch: string | undefined,
): Promise<void> => {
  const stored = await getIntegration(database, principal, path)
  requireMatch(ifMatch, () => etagOf(toIntegration(stored)))
  const revocation = revokeCredential(stored.project_id, stored.source_type)
  await revocation.ahead(database)
  await database.unitOfWork(async (transaction) => {
    await getProject(transaction, principal, path.project_id, 'update')
    const row = await getIntegration(transaction, principal, path, true)
    requireMatch(ifMatch, () => etagOf(toIntegration(row)))
    await revocation.rest(transaction)
    await transaction.em.nativeDelete(IntegrationEntity, { projectId: row.project_id, sourceType: row.source_type })
    transaction.invalidate(projectTag(row.project_id))
    await credentialChanged(transaction, row.project_id, row.source_type)
  })
}
