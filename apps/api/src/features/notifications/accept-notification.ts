import type { Transaction } from '../../database/database.ts'
import type { Queue } from '../../queue/queue.ts'
import type { Principal } from '../../shared/principal.ts'
import { backlogOf } from '../deliveries/delivery-jobs.ts'
import { templatesOfFlows } from '../flows/flow-queries.ts'
import type { Credentials } from '../integrations/credentials.ts'
import { getProject } from '../projects/project-queries.ts'
import { credentialsOf } from './capture-decision.ts'
import type { SendBody } from './plan-notification.ts'
import { type PrepareDeps, type PreparedNotification, prepareNotification } from './prepare-notification.ts'
import { storeNotifications } from './store-notifications.ts'
import { triggeredFlows } from './triggered-flows.ts'

/** What accepting needs. */
export interface AcceptDeps extends PrepareDeps {
  readonly queue: Queue
  readonly credentials: Credentials
}

/**
 * Accepts a notification in the caller's transaction, on nothing but what that reads: everything is stored, and a job
 * for each delivery, or nothing is. The caller wakes the queue once it has committed.
 * @throws ApiError for everything that the rules refuse.
 */
export const acceptNotification = async (
  transaction: Transaction,
  deps: AcceptDeps,
  principal: Principal,
  body: SendBody,
): Promise<PreparedNotification> => {
  const prepared = await prepareNotification(deps, body, async () => {
    // Deleting the project waits for us, or we find it deleted: no delivery is made for a project that is gone.
    const project = await getProject(transaction, principal, body.project_id, 'share')
    const owner = { userId: principal.userId, projectId: project.id }
    return {
      ...owner,
      flows: await triggeredFlows(transaction, project.id, body.flow_id),
      templatesOf: (ids) => templatesOfFlows(transaction, project.id, ids),
      hasCredential: credentialsOf(deps.credentials, transaction, owner),
    }
  })
  await storeNotifications(
    transaction,
    deps.queue,
    [{ prepared }],
    await backlogOf(transaction, [prepared.notification.project_id]),
    new Date(0),
  )
  return prepared
}
