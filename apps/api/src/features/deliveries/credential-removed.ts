import type { Queryable } from '../../database/database.ts'
import type { Uuid } from '../../shared/ids.ts'

/**
 * Notes, in the transaction that deletes a project's own credential, what waits for it or is being sent: it is never sent
 * through the deployment's credential instead. It fails at its next attempt, unless the project has another one by then.
 * The transaction holds the lock on the project, so that nothing is accepted in between.
 */
export const noteCredentialRemoved = async (transaction: Queryable, projectId: Uuid, sourceType: string): Promise<void> => {
  await transaction.query(
    `with open as (
       select id from deliveries
       where project_id = $1 and source_type = $2 and status in ('queued', 'sending', 'retrying') and not captured
       order by id for update
     )
     update deliveries d set credential_removed = true from open where d.id = open.id`,
    [projectId, sourceType],
  )
}
