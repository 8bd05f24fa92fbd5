import { requireMatch } from '@flowpost/contract/rules'
import type { Principal } from '../../auth/principal.ts'
import { projectTag } from '../../cache-tags.ts'
import type { Database, Queryable, UnitOfWork } from '../../database/database.ts'
import { getProject } from './project.queries.ts'

/** A change to pending deliveries, made in two parts when a project, a flow or a credential is deleted. */
export interface PendingChange {
  /** The first part: changes most of the deliveries in short transactions, so that the deletion itself stays short. */
  ahead(database: Database): Promise<void>
  /**
   * The second part: changes the remaining deliveries in the caller's transaction. The caller has locked the project, so no
   * delivery can be added.
   */
  rest(transaction: Queryable): Promise<void>
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
    // `change.rest` locks notifications and `readMatching` may lock a flow. The lock order of `recordOutcomes` requires this
    // sequence. If `readMatching` rejects, the transaction rolls the change back.
    await change.rest(transaction)
    await remove(transaction, await readMatching(transaction, true))
    transaction.invalidate(projectTag(project.id))
  })
}
