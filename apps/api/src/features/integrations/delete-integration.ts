import type { Logger } from 'pino'
import type { Author } from '../../auth/principal.ts'
import type { Database } from '../../database/database.ts'
import { etagOf } from '../../http/etag.ts'
import { type Clock, timeOfChange } from '../../shared/clock.ts'
import type { Uuid } from '../../shared/ids.ts'
import { deleteWithPendingChange, type PendingChange } from '../projects/delete-with-pending-change.ts'
import { recordChanges } from '../settings-history/record-changes.ts'
import { IntegrationEntity } from './integration.entity.ts'
import { getIntegration, type IntegrationPath } from './integration.queries.ts'
import { integrationState, toIntegration } from './integration.serializer.ts'
import type { CredentialChanged } from './put-integration.ts'

/** The dependencies of {@link deleteIntegration}. */
export interface DeleteIntegrationDeps {
  readonly clock: Clock
  readonly credentialChanged: CredentialChanged
  /**
   * Returns the change to make when the project's credential for a provider is deleted. The change marks the project's open
   * deliveries that use this provider, except captured deliveries. A marked delivery is not sent with the deployment's
   * credential, unless the delivery ends and is then retried on request.
   */
  readonly revokeCredential: (projectId: Uuid, sourceType: string) => PendingChange
}

/**
 * Deletes an integration: a project's credentials for a provider.
 * @throws ApiError `not_found` or `etag_mismatch`.
 */
export const deleteIntegration = (
  database: Database,
  { clock, credentialChanged, revokeCredential }: DeleteIntegrationDeps,
  author: Author,
  path: IntegrationPath,
  ifMatch: string | undefined,
  log: Logger,
): Promise<void> =>
  deleteWithPendingChange(database, author, {
    projectId: path.project_id,
    ifMatch,
    log,
    read: (on, lock) => getIntegration(on, author, path, lock),
    etagOf: (row) => etagOf(toIntegration(row)),
    changeOf: (row) => revokeCredential(row.project_id, row.source_type),
    remove: async (transaction, row) => {
      await transaction.em.nativeDelete(IntegrationEntity, { projectId: row.project_id, sourceType: row.source_type })
      await credentialChanged(transaction, row.project_id, row.source_type)
      const change = { kind: 'integration' as const, projectId: row.project_id, resourceId: row.id, at: timeOfChange(clock, row) }
      await recordChanges(transaction, author, [{ ...change, before: integrationState(row), after: null }])
    },
  })
