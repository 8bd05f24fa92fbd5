import { setTimeout as sleep } from 'node:timers/promises'
import { operatorCommand } from '../../shared/operator-command.ts'
import type { Queryable } from '../database.ts'
import { firstCodeOf, isDatabaseUnavailable } from '../failures.ts'
import { DatabaseStartupError } from '../until-available.ts'
import type { Migration } from './migration.ts'
import { migrationTables } from './migration-state.ts'

/** The options of {@link runMigrations}. */
export interface RunOptions {
  /** All of this process's migrations. They determine which releases may use the migrated database. */
  readonly migrations: readonly Migration[]
  /** The migrations to apply. */
  readonly pending: readonly Migration[]
  /** This process's version. */
  readonly release: string
  readonly log: { warn(fields: object, message: string): void }
  readonly onApplied?: ((name: string) => void) | undefined
  readonly signal?: AbortSignal | undefined
  /** The pause after an attempt that did not get a lock, in milliseconds. @default 1,000 */
  readonly retryAfterMs?: number
}

const maxAttempts = 30
const defaultRetryAfterMs = 1_000

// Short, because a statement that waits for a table lock delays all later statements on the table, including the statements
// that send messages.
const lockTimeoutMs = 500
// Longer than `deadlock_timeout` (by default 1 s), because a session must wait that long before PostgreSQL cancels the autovacuum
// that blocks it.
const vacuumLockTimeoutMs = 3_000
// Long, because `create index concurrently` waits until all open transactions end. While it waits, it blocks only vacuums and
// other schema changes.
const concurrentLockTimeoutMs = 10 * 60_000

const tablesIn = `select quote_ident(relname) as name from pg_class
  where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relname = any($1) order by relname`

const createTable = `create table if not exists ${migrationTables.applied}
  (id serial primary key, name varchar(255) not null, executed_at timestamptz(6) not null default current_timestamp)`

const storeWindow = `insert into ${migrationTables.window} (required_migration, migrated_by, migrated_at) values ($1, $2, now())
  on conflict (single_row) do update set migrated_by = excluded.migrated_by, migrated_at = excluded.migrated_at,
    required_migration = greatest(${migrationTables.window}.required_migration collate "C", excluded.required_migration)`

/**
 * Applies the pending migrations in order, and records each one. Retries a migration that does not get a lock in time.
 * @param session a single connection, because session settings must persist between the statements.
 * @throws DatabaseStartupError when a migration fails, or when other sessions do not release a lock in time.
 */
export const runMigrations = async (session: Queryable, options: RunOptions): Promise<void> => {
  const { pending, onApplied } = options
  await session.query('set statement_timeout = 0')
  await session.query(createTable)
  for (const migration of pending) {
    await applyWithRetries(session, migration, options)
    onApplied?.(migration.name)
  }
  // On the embedded database, the session stays in use after the migrations.
  await session.query('reset lock_timeout')
}

const applyWithRetries = async (session: Queryable, migration: Migration, options: RunOptions): Promise<void> => {
  const { log, signal, retryAfterMs = defaultRetryAfterMs } = options
  const apply = migration.transactional === false ? applyByStatement : applyInTransaction
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await apply(session, migration, () => record(session, migration, options))
    } catch (error) {
      if (!isLockConflict(error)) throw withMigrationName(error, migration.name)
      if (attempt === maxAttempts) throw new DatabaseStartupError(lockMessage(migration.name), { cause: error })
      log.warn({ migration: migration.name, attempt, reason: (error as Error).message }, 'A migration did not get a lock; retrying.')
      await sleep(retryAfterMs, undefined, { signal })
    }
  }
}

// 55P03: the lock timeout has expired. 40P01: a deadlock.
const isLockConflict = (error: unknown): boolean => ['55P03', '40P01'].includes(firstCodeOf(error))

const lockMessage = (name: string): string =>
  `The migration ${name} did not get a lock in ${maxAttempts} attempts, and was not applied. Another session holds the lock, for example ` +
  'a backup or a long transaction. Find that session with `select pid, xact_start, query from pg_stat_activity order by xact_start`. ' +
  `Wait until it ends, or terminate it. Then run \`${operatorCommand('migrate')}\` again.`

// `until-available.ts` explains these errors to the operator. 42501: a missing privilege.
const isExplainedElsewhere = (error: unknown): boolean => isDatabaseUnavailable(error) || firstCodeOf(error) === '42501'

/**
 * Adds the migration's name to the error of a failed statement. Returns any other error, and an error that is explained
 * elsewhere, unchanged.
 */
const withMigrationName = (error: unknown, name: string): unknown => {
  const code = firstCodeOf(error)
  if (!/^[0-9A-Z]{5}$/.test(code) || isExplainedElsewhere(error)) return error
  return new DatabaseStartupError(
    `The migration ${name} failed, and was not recorded as applied: ${(error as Error).message} (SQLSTATE ${code}). ` +
      `Fix the cause, then run \`${operatorCommand('migrate')}\` again.`,
    { cause: error },
  )
}

type Apply = (session: Queryable, migration: Migration, recordIt: () => Promise<void>) => Promise<void>

/**
 * Locks the tables that the statements name. If an autovacuum of such a table blocks the lock, PostgreSQL cancels the
 * autovacuum, unless it prevents a wraparound of transaction ids. PostgreSQL starts no new autovacuums of these tables until
 * the transaction ends. The lock permits reads and writes, so it does not delay messages.
 */
const lockAgainstVacuums = async (session: Queryable, statements: readonly string[]): Promise<void> => {
  const words = [...new Set(statements.join(' ').match(/\w+/g))]
  const tables = await session.query<{ name: string }>(tablesIn, [words])
  if (tables.length === 0) return
  await session.query(`set local lock_timeout = ${vacuumLockTimeoutMs}`)
  await session.query(`lock table ${tables.map(({ name }) => name).join(', ')} in share update exclusive mode`)
}

const applyInTransaction: Apply = async (session, { statements }, recordIt) => {
  await session.query('begin')
  try {
    await lockAgainstVacuums(session, statements)
    await session.query(`set local lock_timeout = ${lockTimeoutMs}`)
    for (const statement of statements) await session.query(statement)
    await recordIt()
    await session.query('commit')
  } catch (error) {
    // Ignores a failed rollback, so that the original error is rethrown. The code that opened the connection closes it.
    await session.query('rollback').catch(() => {})
    throw error
  }
}

const applyByStatement: Apply = async (session, { statements }, recordIt) => {
  for (const statement of statements) {
    const timeoutMs = /\bconcurrently\b/i.test(statement) ? concurrentLockTimeoutMs : lockTimeoutMs
    await session.query(`set lock_timeout = ${timeoutMs}`)
    await session.query(statement)
  }
  await recordIt()
}

/** Records a migration as applied. Also stores which releases can use the database now, if `migrationTables.window` exists. */
const record = async (session: Queryable, migration: Migration, { migrations, release }: RunOptions): Promise<void> => {
  await session.query(`insert into ${migrationTables.applied} (name) values ($1)`, [migration.name])
  const [exists] = await session.query<{ window: boolean }>(`select to_regclass('${migrationTables.window}') is not null as window`)
  if (!exists?.window) return
  await session.query(storeWindow, [requiredBy(migrations, migration), release])
}

/**
 * Returns the name of the required migration. Once `last` is applied, a release that does not contain the required
 * migration cannot use the database.
 */
const requiredBy = (migrations: readonly Migration[], last: Migration): string =>
  migrations
    .slice(0, migrations.indexOf(last) + 1)
    .flatMap(({ requires }) => requires ?? [])
    .sort()
    .at(-1) ?? last.name
