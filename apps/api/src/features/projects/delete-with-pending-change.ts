import { requireMatch } from '@flowpost/contract/rules'
import type { Principal } from '../../auth/principal.ts'
import { projectTag } from '../../cache-tags.ts'
import type { Database, Queryable, UnitOfWork } from '../../database/database.ts'
import { getProject } from './project.queries.ts'

/** A change to the pending deliveries of a project that accompanies the deletion of the project, a flow or a credential. */
export interface PendingChange {
  /** Changes most of the deliveries in short transactions, so that the deletion itself is short even with many deliveries. */
  ahead(database: Database): Promise<void>
  /** Changes the remaining deliveries in the caller's transaction. It has locked the project, so no delivery can be added. */
  rest(transaction: Queryable): Promise<void>
}

/** The deletion of a project, or of a row that belongs to it. */
export interface Deletion<Row> {
  readonly projectId: string
  /** The `If-Match` header. */
  readonly ifMatch: string | undefined
  /** Reads the row. Locks it if `lock` is set. */
  readonly read: (on: Queryable, lock: boolean) => Promise<Row>
  readonly etagOf: (row: Row) => string
  readonly changeOf: (row: Row) => PendingChange
  readonly remove: (transaction: UnitOfWork, row: Row) => Promise<void>
}

/**
 * Deletes a row and changes the pending deliveries that depend on it.
 * @throws ApiError `not_found` or `etag_mismatch`.
 */
export const deleteWithPendingChange = async <Row>(database: Database, principal: Principal, deletion: Deletion<Row>): Promise<void> => {
  const { projectId, ifMatch, etagOf, read, changeOf, remove } = deletion
  const readMatching = async (on: Queryable, lock: boolean): Promise<Row> => {
    const row = await read(on, lock)
    requireMatch(ifMatch, () => etagOf(row))
    return row
  }
  const change = changeOf(await readMatching(database, false))
  await change.ahead(database)
  await database.unitOfWork(async (transaction) => {
    const project = await getProject(transaction, principal, projectId, 'update')
    // Notifications must be locked before flows: see the lock order of `recordOutcomes`. A rejection below rolls this back.
    await change.rest(transaction)
    await remove(transaction, await readMatching(transaction, true))
    transaction.invalidate(projectTag(project.id))
  })
}
