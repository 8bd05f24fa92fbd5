import type { Logger } from 'pino'
import type { Principal } from '../../auth/principal.ts'
import type { Database } from '../../database/database.ts'
import { etagOf } from '../../http/etag.ts'
import type { Uuid } from '../../shared/ids.ts'
import { deleteWithPendingChange, type PendingChange } from '../projects/delete-with-pending-change.ts'
import { IntegrationEntity } from './integration.entity.ts'
import { getIntegration, type IntegrationPath } from './integration.queries.ts'
import { toIntegration } from './integration.serializer.ts'
import type { CredentialChanged } from './put-integration.ts'

/** The dependencies of {@link deleteIntegration}. */
export interface DeleteIntegrationDeps {
  readonly credentialChanged: CredentialChanged
  /** Returns the change that prevents pending deliveries from being sent with the deployment's credential instead. */
  readonly revokeCredential: (projectId: Uuid, sourceType: string) => PendingChange
}

/**
 * Deletes an integration: the credentials of a project for a provider.
 * @throws ApiError `not_found` or `etag_mismatch`.
 */
export const deleteIntegration = (
  database: Database,
  { credentialChanged, revokeCredential }: DeleteIntegrationDeps,
  principal: Principal,
  path: IntegrationPath,
  ifMatch: string | undefined,
  log: Logger,
): Promise<void> =>
  deleteWithPendingChange(database, principal, {
    projectId: path.project_id,
    ifMatch,
    log,
    read: (on, lock) => getIntegration(on, principal, path, lock),
    etagOf: (row) => etagOf(toIntegration(row)),
    changeOf: (row) => revokeCredential(row.project_id, row.source_type),
    remove: async (transaction, row) => {
      await transaction.em.nativeDelete(IntegrationEntity, { projectId: row.project_id, sourceType: row.source_type })
      await credentialChanged(transaction, row.project_id, row.source_type)
    },
  })
