import { MikroORM } from '@mikro-orm/postgresql'
import type { MikroORM as SqlMikroORM } from '@mikro-orm/sql'
import type { Client, Pool } from 'pg'
import type { Logger } from 'pino'
import { version } from '../version.ts'
import { createSharedInvalidation } from './cache-invalidation.ts'
import type { Database, NamedStatement, Queryable } from './database.ts'
import type { DatabaseIdentity } from './identity/database-identity.ts'
import { ensureMigrated, type MigrationOptions } from './migrate/ensure-migrated.ts'
import { type MigrationState, readMigrationState } from './migrate/migration-state.ts'
import { migrations } from './migrations/index.ts'
import { type Entities, ormOptions } from './orm.ts'
import { connectionOptions, openSession } from './postgres/connection-options.ts'
import { createConnectionWatch } from './postgres/connection-watch.ts'
import { onFreshConnection } from './postgres/fresh-connection.ts'
import { createIdentityCheck } from './postgres/identity-check.ts'
import { createListener } from './postgres/listener.ts'
import { takeMigrationLock } from './postgres/migration-lock.ts'
import { awaitReplication, requireCommits } from './postgres/replication.ts'
import { addResilience } from './postgres/resilient-pool.ts'
import { requireSessionPooling } from './postgres/session-pooling.ts'
import { createSilenceGuard, createWorkingQuery } from './postgres/silence-guard.ts'
import { createConnections, type WatchedClient } from './postgres/watched-client.ts'
import { type Begin, inTransaction, unitsOfWork } from './transactions.ts'
import { untilAvailable } from './until-available.ts'

/** A database on a PostgreSQL server. */
export interface PostgresDatabase extends Database {
  readonly kind: 'postgres'
  readonly url: string
  readonly identity: DatabaseIdentity
  /** Returns whether PostgreSQL has responded in the last few seconds. */
  isReachable(): boolean
  /** Returns the connection pool's current usage. */
  poolUsage(): PoolUsage
}

/**
 * The number of connections in a pool, and the number of statements and transactions that are waiting for a connection.
 */
export interface PoolUsage {
  readonly inUse: number
  readonly idle: number
  readonly waiting: number
  /** The maximum number of connections. It is lower for a while after the server had no free connection. */
  readonly limit: number
}

/** The options of {@link openPostgres}. */
export interface PostgresOptions extends MigrationOptions {
  readonly url: string
  readonly entities: Entities
  readonly poolSize: number
  readonly log: Logger
  /**
   * The maximum wait, in milliseconds, for an unreachable server. With `migrate: 'off'`, also the maximum wait for
   * another process to apply the migrations.
   * @default 0
   */
  readonly waitMs?: number
  /** Aborts the wait for the server or the migrations. */
  readonly signal?: AbortSignal | undefined
  /** Called, with the reason, when this process can no longer use the database and must be restarted. */
  readonly onFatal?: (error: Error) => void
  /** How long, in milliseconds, an outage must last before it can lead to a call of `onFatal`. @default 60,000 */
  readonly recoverWithinMs?: number
}

const probeTimeoutMs = 5_000
// How long to wait at shutdown for statements in flight. A statement never finishes if PostgreSQL no longer responds on its
// connection.
const drainMs = 2_000

// A crash of PostgreSQL loses all NOTIFY messages, so this commit does not have to wait for the disk. If it waited, it would
// delay every other transaction with a NOTIFY, because PostgreSQL commits such transactions one after the other.
const notifying = { name: 'notify', text: `select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)` }

// Each query gets a copy, because the driver may change the statement object.
const toPreparing = (statement: string | NamedStatement) => (typeof statement === 'string' ? statement : { ...statement })

const queryOn =
  (client: Pick<Pool | Client, 'query'>): Queryable['query'] =>
  async <Row extends object>(statement: string | NamedStatement, values: readonly unknown[] = []) => {
    const config = typeof statement === 'string' ? { text: statement } : statement
    return (await client.query<Row>({ ...config, values: values as unknown[] })).rows
  }

/** Returns a function that runs a transaction on one of the pool's connections. A connection that cannot roll back is closed. */
const beginOn =
  (pool: Pool): Begin<Queryable> =>
  async (run) => {
    const client = await pool.connect()
    let broken: Error | undefined
    try {
      await client.query('begin')
      const result = await run({ query: queryOn(client as unknown as Pick<Pool, 'query'>) })
      await client.query('commit')
      return result
    } catch (error) {
      await client.query('rollback').catch((cause: Error) => {
        broken = cause
      })
      throw error
    } finally {
      client.release(broken)
    }
  }

/** Applies or awaits the migrations on one of the pool's connections. */
const migrateOn = async (pool: Pool, options: PostgresOptions, onConnected: () => void): Promise<void> => {
  const { log, signal, waitMs = 0 } = options
  const client = await pool.connect()
  onConnected()
  const session = { query: queryOn(client as unknown as Pick<Pool, 'query'>) }
  try {
    await ensureMigrated(session, { ...options, waitMs, lock: () => takeMigrationLock(session, { log, signal }) })
  } finally {
    // Closing the connection always releases the lock and discards the session's settings.
    client.release(true)
  }
}

/**
 * Opens a connection pool, and applies or awaits the migrations.
 * @throws DatabaseStartupError when the configuration is unusable, the server stays unreachable for `waitMs`, or the database
 * cannot be migrated.
 */
export const openPostgres = (options: PostgresOptions): Promise<PostgresDatabase> =>
  untilAvailable(
    async (onConnected) => {
      await requireSessionPooling(options.url)
      return openOnce(options, onConnected)
    },
    { waitMs: options.waitMs ?? 0, log: options.log, signal: options.signal },
  )

/** Reads a database's migration state without changing the database. */
export const readPostgresState = (url: string): Promise<MigrationState> =>
  untilAvailable(
    () => onFreshConnection(url, probeTimeoutMs, (client) => readMigrationState({ query: queryOn(client) }, migrations, version)),
    { waitMs: 0, log: { warn: () => {} } },
  )

const openOnce = async (options: PostgresOptions, onConnected: () => void): Promise<PostgresDatabase> => {
  const { url, poolSize, log, onFatal = (error) => log.fatal({ err: error }, error.message), recoverWithinMs } = options
  const connections = createConnections({ onResponse: () => watch.responded(), onError: (error) => watch.failed(error) })
  const identityCheck = createIdentityCheck(onFatal)
  const prepare = async (client: WatchedClient) => {
    await openSession(client)
    await identityCheck.check(client)
  }
  const orm = await MikroORM.init({
    ...ormOptions,
    entities: [...options.entities],
    clientUrl: url,
    pool: { min: 0, max: poolSize },
    // The ORM reads only host, port, user, password, database and schema from the URL. `connectionOptions` passes the URL to the
    // driver, because other parameters, such as `sslmode`, must also apply.
    driverOptions: { ...connectionOptions(url, 'flowpost'), onConnect: prepare, Client: connections.Client },
  })
  const pool = await orm.em.getConnection().getNativeClient()
  const watch = createConnectionWatch({
    log,
    onFatal,
    probe: () => pool.query('select 1'),
    probeFresh: () => onFreshConnection(url, probeTimeoutMs, requireCommits),
    ...(recoverWithinMs === undefined ? {} : { recoverWithinMs }),
  })
  addResilience(pool, { onError: watch.failed })
  const guard = createSilenceGuard({ connections: connections.open, log, findWorking: createWorkingQuery(url) })
  guard.start()
  const listener = createListener({ url, log })
  const endPool = async () => {
    await orm.close(true)
    // The ORM ends the pool only if the ORM itself has sent a query, so the pool may still be open.
    if (!pool.ending) await pool.end()
  }
  const close = async () => {
    watch.stop()
    await listener.close()
    const timer = setTimeout(() => connections.abandonAll(), drainMs)
    await endPool().finally(() => clearTimeout(timer))
    guard.stop()
  }
  try {
    guard.allowLongStatements(true)
    await migrateOn(pool, options, onConnected)
    guard.allowLongStatements(false)
  } catch (error) {
    await close()
    throw error
  }
  watch.start()
  const query = queryOn(pool)
  const begin = beginOn(pool)
  const beginUnit = unitsOfWork(orm as unknown as SqlMikroORM, toPreparing)
  const invalidation = createSharedInvalidation({ query, listen: listener.listen })
  return {
    kind: 'postgres',
    url,
    identity: identityCheck.identity(),
    isReachable: watch.isReachable,
    poolUsage: () => ({
      inUse: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      limit: pool.options.max,
    }),
    query,
    transaction: (work) => inTransaction(begin, invalidation, work),
    unitOfWork: (work) => inTransaction(beginUnit, invalidation, work),
    awaitReplication: async () => {
      await query(awaitReplication)
    },
    notify: async (channel, payload) => {
      await query(notifying, [channel, payload])
    },
    listen: listener.listen,
    invalidate: invalidation.publish,
    onInvalidation: invalidation.subscribe,
    close,
  }
}
