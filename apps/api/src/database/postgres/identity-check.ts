import type { Client } from 'pg'
import type { Queryable } from '../database.ts'
import { type DatabaseIdentity, isSameDatabase, readPostgresIdentity } from '../identity/database-identity.ts'

/** Thrown when a new connection leads to a different database than the first one did. */
class DatabaseReplacedError extends Error {
  override readonly name = 'DatabaseReplacedError'
  // The SQLSTATE for a connection that the server rejected. With this code, the error counts as a database outage.
  readonly code = '08004'

  constructor() {
    super('DATABASE_URL leads to a different database than at startup, for example a restored one. The process must be restarted.')
  }
}

/** Checks that each new connection leads to the same database as the first one. */
export interface IdentityCheck {
  /** Checks a new connection. @throws DatabaseReplacedError when the connection leads to another database. */
  check(client: Client): Promise<void>
  /** Returns the database's identity. At least one connection must have been checked. */
  identity(): DatabaseIdentity
}

/**
 * Creates the identity check for one pool. If a backup replaces the database while the process runs, the process must not
 * continue: messages that are pending in the backup may already have been sent. Only a restarted process detects the restored
 * backup and puts its messages on hold.
 * @param onReplaced called when a connection leads to another database.
 */
export const createIdentityCheck = (onReplaced: (error: Error) => void): IdentityCheck => {
  let first: DatabaseIdentity | undefined
  return {
    check: async (client) => {
      const session: Queryable = { query: async (statement) => (await client.query(statement as string)).rows as never }
      const found = await readPostgresIdentity(session)
      first ??= found
      if (isSameDatabase(first, found)) return
      const error = new DatabaseReplacedError()
      onReplaced(error)
      throw error
    },
    identity: () => {
      if (!first) throw new Error('No connection has been opened yet.')
      return first
    },
  }
}
