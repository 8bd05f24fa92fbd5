import { requireMatch } from '@flowpost/contract/rules'
import type { Logger } from 'pino'
import type { Principal } from '../../auth/principal.ts'
import { projectTag } from '../../cache-tags.ts'
import type { Database, Queryable, UnitOfWork } from '../../database/database.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import { getProject } from './project.queries.ts'

/**
 * Changes the pending deliveries when a project, a flow or a credential is deleted. Deleting a project or a flow cancels its
 * deliveries. Deleting a credential marks the project's deliveries that use the credential's provider; see
 * `revokeCredential`. If there are many deliveries, `ahead` changes most of them before the deletion, so that the
 * transaction of the deletion is short.
 */
export interface PendingChange {
  /**
   * Before the deletion, cancels or marks pending deliveries in short transactions. Stops when so few deliveries are left that
   * `rest` can change them in one short transaction.
   * @param onCanceled called after each transaction with the ids of the notifications whose deliveries it canceled.
   */
  ahead(database: Database, onCanceled: (notificationIds: readonly Uuid[]) => void): Promise<void>
  /**
   * In the transaction of the deletion, cancels or marks the pending deliveries that `ahead` has not changed. Ensures that no
   * delivery is added afterwards. The caller must have locked the project `for update`. Returns the ids of the notifications
   * whose deliveries were canceled.
   */
  rest(transaction: Queryable): Promise<readonly Uuid[]>
  /** Runs in the transaction of the deletion, after the row is deleted. */
  finish?(transaction: Queryable): Promise<void>
}

/** The deletion of a project, or of a row that belongs to a project. */
export interface Deletion<Row> {
  readonly projectId: string
  /** The `If-Match` header of the request. */
  readonly ifMatch: string | undefined
  /** Reads the row. Locks it if `lock` is set. */
  readonly read: (on: Queryable, lock: boolean) => Promise<Row>
  readonly etagOf: (row: Row) => string
  readonly changeOf: (row: Row) => PendingChange
  readonly remove: (transaction: UnitOfWork, row: Row) => Promise<void>
  /** The log of the request. */
  readonly log: Logger
}

/**
 * Deletes a row and changes the pending deliveries that depend on it.
 * @throws ApiError `not_found` or `etag_mismatch`.
 */
export const deleteWithPendingChange = async <Row>(database: Database, principal: Principal, deletion: Deletion<Row>): Promise<void> => {
  const { projectId, ifMatch, etagOf, read, changeOf, remove, log } = deletion
  const readMatching = async (on: Queryable, lock: boolean): Promise<Row> => {
    const row = await read(on, lock)
    requireMatch(ifMatch, () => etagOf(row))
    return row
  }
  const change = changeOf(await readMatching(database, false))
  const logCanceled = (notificationIds: readonly Uuid[]): void => {
    for (const id of notificationIds)
      log.info({ notification_id: toId('notification', id) }, 'Deliveries canceled, because their flow or project was deleted.')
  }
  await change.ahead(database, logCanceled)
  const canceled = await database.unitOfWork(async (transaction) => {
    const project = await getProject(transaction, principal, projectId, 'update')
    // `change.rest` locks notifications, and then `readMatching` may lock a flow. `recordOutcomes` uses the same order, so there
    // are no deadlocks. If `readMatching` rejects, the change is rolled back with the transaction.
    const notificationIds = await change.rest(transaction)
    await remove(transaction, await readMatching(transaction, true))
    await change.finish?.(transaction)
    transaction.invalidate(projectTag(project.id))
    return notificationIds
  })
  logCanceled(canceled)
}
