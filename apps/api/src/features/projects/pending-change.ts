import type { Database, Queryable } from '../../database/database.ts'

/** A change to the open deliveries of a project that is being changed or deleted. */
export interface PendingChange {
  /** Makes most of the change in committed transactions, so that the last one is short, however many deliveries there are. */
  ahead(database: Database): Promise<void>
  /** Makes the rest of the change in the caller's transaction, which has locked the project, so nothing is accepted meanwhile. */
  rest(transaction: Queryable): Promise<void>
}
