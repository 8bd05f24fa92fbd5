import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Queryable } from '../database.ts'
import { firstCodeOf } from '../failures.ts'

/**
 * The identity of a database. Restoring a dump into a new database, or copying an embedded database, creates a database
 * with a different identity from the original. A promoted standby keeps the identity of its primary.
 */
export interface DatabaseIdentity {
  /** The system identifier of the PostgreSQL server; `null` if the server does not reveal it. */
  readonly systemIdentifier: string | null
  /**
   * The oid of the database on a PostgreSQL server. For an embedded database, the {@link fileIdentity} of its `PG_VERSION` file.
   */
  readonly databaseId: string
}

const systemIdentifier = 'select system_identifier::text as id from pg_control_system()'
const databaseOid = 'select oid::text as id from pg_database where datname = current_database()'

// The SQLSTATEs of servers that do not reveal their system identifier. 42501: the right to call `pg_control_system()`, which
// every user has by default, was revoked. 42883: the function does not exist. 0A000 and 55000: a managed service does not
// support the function.
const hiddenStates = new Set(['42501', '42883', '0A000', '55000'])

const readId = async (on: Queryable, statement: string): Promise<string> => {
  const [row] = await on.query<{ id: string }>(statement)
  if (!row) throw new Error(`PostgreSQL returned no row for: ${statement}`)
  return row.id
}

const readSystemIdentifier = (on: Queryable): Promise<string | null> =>
  readId(on, systemIdentifier).catch((error: unknown) => {
    if (hiddenStates.has(firstCodeOf(error))) return null
    throw error
  })

/**
 * Reads the identity of a database on a PostgreSQL server. Must not run in a transaction: if the server does not
 * reveal its system identifier, the statement fails, and PostgreSQL aborts the transaction.
 */
export const readPostgresIdentity = async (on: Queryable): Promise<DatabaseIdentity> => ({
  systemIdentifier: await readSystemIdentifier(on),
  databaseId: await readId(on, databaseOid),
})

/**
 * Returns a value that distinguishes a file from its copies: the file's birth time or, if the file system does not
 * record one, its inode number. Moving or renaming the file within its file system changes neither. On macOS
 * and Windows, the value contains both, because tools there can set a copy's birth time.
 */
const fileIdentity = async (path: string): Promise<string> => {
  const { ino, birthtimeNs } = await stat(path, { bigint: true })
  if (birthtimeNs <= 0n) return `inode ${ino}`
  return process.platform === 'linux' ? `born ${birthtimeNs}` : `born ${birthtimeNs}, inode ${ino}`
}

/**
 * Reads the identity of an embedded database. A copy of the folder has the same system identifier, but a different
 * {@link fileIdentity} of `PG_VERSION`. PostgreSQL writes this file only once, when it creates the database.
 * @param folder the database folder, `<dataDir>/db`.
 */
export const readEmbeddedIdentity = async (on: Queryable, folder: string): Promise<DatabaseIdentity> => ({
  systemIdentifier: await readSystemIdentifier(on),
  databaseId: await fileIdentity(join(folder, 'PG_VERSION')),
})

/** Returns whether two identities may belong to the same database. An unknown system identifier equals any other. */
export const isSameDatabase = (one: DatabaseIdentity, other: DatabaseIdentity): boolean =>
  one.databaseId === other.databaseId &&
  (one.systemIdentifier === null || other.systemIdentifier === null || one.systemIdentifier === other.systemIdentifier)
