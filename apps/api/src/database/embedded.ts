import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { MikroORM } from '@mikro-orm/pglite'
import type { MikroORM as SqlMikroORM } from '@mikro-orm/sql'
import { version } from '../version.ts'
import { createLocalInvalidation } from './cache-invalidation.ts'
import { compilePostgres } from './compiled-pglite.ts'
import { type Database, type NamedStatement, type Queryable, textOf } from './database.ts'
import { type DatabaseThread, EmbeddedConnection } from './embedded-connection.ts'
import { createEmbeddedStatements } from './embedded-statements.ts'
import type { ThreadData } from './embedded-thread.ts'
import { type DatabaseIdentity, readEmbeddedIdentity } from './identity/database-identity.ts'
import { ensureMigrated, type MigrationOptions } from './migrate/ensure-migrated.ts'
import { type MigrationState, readMigrationState } from './migrate/migration-state.ts'
import { migrations } from './migrations/index.ts'
import { type Entities, ormOptions } from './orm.ts'
import { plannerStatements } from './query-hints.ts'
import { inTransaction, unitsOfWork } from './transactions.ts'
import { DatabaseStartupError } from './until-available.ts'

/** A PostgreSQL database that runs in a thread of this process. */
export interface EmbeddedDatabase extends Database {
  readonly kind: 'embedded'
  readonly connection: EmbeddedConnection
  readonly identity: DatabaseIdentity
}

/** The options of {@link openEmbedded}. */
export interface EmbeddedOptions extends Omit<MigrationOptions, 'migrate'> {
  readonly dataDir: string
  readonly entities: Entities
  /**
   * Called once, with the reason, when the database thread ends unexpectedly. This process must then be restarted.
   * @default does nothing
   */
  readonly onFatal?: (error: Error) => void
  /** Starts the database thread. @default starts a worker thread */
  readonly startThread?: ((data: ThreadData) => DatabaseThread) | undefined
}

/**
 * Opens the database in `<dataDir>/db`, in a thread of this process, and migrates it. Does not prevent a second process
 * from opening the same folder: call `lockDataFolder` first.
 */
export const openEmbedded = async (options: EmbeddedOptions): Promise<EmbeddedDatabase> => {
  const stack = new AsyncDisposableStack()
  try {
    return await openOn(options, stack)
  } catch (error) {
    // Ends the database thread. Otherwise, the thread could still write to the folder after another process has locked it. Errors
    // while closing are ignored, so that the original error is thrown.
    await stack.disposeAsync().catch(() => {})
    throw error
  }
}

/** Waits until the database is open. @throws DatabaseStartupError when it cannot be opened. */
const waitUntilOpen = async (connection: EmbeddedConnection, folder: string): Promise<void> => {
  try {
    await connection.waitReady
  } catch (error) {
    // PGlite rejects with an object that has no message if a file operation fails.
    const reason = error instanceof Error ? ` (${error.message})` : ''
    throw new DatabaseStartupError(
      `The embedded database in ${folder} could not be opened${reason}. The disk may be full, the process may lack permissions for the ` +
        'files, or the files may be damaged. If they are damaged, restore a backup.',
      { cause: error },
    )
  }
}

const sessionOf = (connection: EmbeddedConnection): Queryable => ({
  query: async <Row extends object>(statement: string | NamedStatement, values: readonly unknown[] = []) =>
    (await connection.query<Row>(textOf(statement), [...values])).rows,
})

/** Opens an embedded database without migrating it, and closes it after `work`. Call `lockDataFolder` first. */
export const onEmbedded = async <T>(dataDir: string, work: (connection: EmbeddedConnection) => Promise<T>): Promise<T> => {
  const folder = join(dataDir, 'db')
  const connection = new EmbeddedConnection({ folder, postgres: await compilePostgres() }, () => {})
  try {
    await waitUntilOpen(connection, folder)
    return await work(connection)
  } finally {
    await connection.close()
  }
}

/** Reads an embedded database's migration state without changing the database. Call `lockDataFolder` first. */
export const readEmbeddedState = (dataDir: string): Promise<MigrationState> =>
  onEmbedded(dataDir, (connection) => readMigrationState(sessionOf(connection), migrations, version))

/** Applies the pending migrations. No other process uses the database, so there is no lock to take and no lock wait to log. */
const migrateOn = (connection: EmbeddedConnection, options: MigrationOptions): Promise<void> =>
  ensureMigrated(sessionOf(connection), { ...options, log: { warn: () => {} }, lock: async () => {}, waitMs: 0 })

const openOn = async (options: EmbeddedOptions, stack: AsyncDisposableStack): Promise<EmbeddedDatabase> => {
  const { dataDir, entities, onFatal = () => {} } = options
  const folder = join(dataDir, 'db')
  // Creates the folder for its owner only, because PGlite would create a folder that other users can read.
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const connection = new EmbeddedConnection({ folder, postgres: await compilePostgres() }, onFatal, options.startThread)
  stack.defer(() => connection.close())
  await waitUntilOpen(connection, folder)
  await migrateOn(connection, { migrations: options.migrations, onApplied: options.onApplied })
  const driverOptions = { pglite: () => connection }
  const orm = await MikroORM.init({ ...ormOptions, entities: [...entities], dbName: folder, driverOptions })
  stack.defer(() => orm.close(true))
  await connection.exec(plannerStatements)
  const { run, begin } = createEmbeddedStatements(connection)
  const beginUnit = unitsOfWork(orm as unknown as SqlMikroORM, textOf)
  const invalidation = createLocalInvalidation()
  const query: Database['query'] = (statement, values = []) =>
    run(typeof statement === 'string' ? { name: '', text: statement } : statement, values)
  return {
    kind: 'embedded',
    connection,
    identity: await readEmbeddedIdentity(sessionOf(connection), folder),
    query,
    transaction: (work) => inTransaction(begin, invalidation, work),
    unitOfWork: (work) => inTransaction(beginUnit, invalidation, work),
    awaitReplication: async () => {},
    notify: async (channel, payload) => {
      await query('select pg_notify($1, $2)', [channel, payload])
    },
    listen: (channel, onNotification) => connection.listen(channel, onNotification),
    invalidate: invalidation.publish,
    onInvalidation: invalidation.subscribe,
    close: () => stack.disposeAsync(),
  }
}
