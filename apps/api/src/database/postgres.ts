import { MikroORM } from '@mikro-orm/postgresql'
import type { MikroORM as SqlMikroORM } from '@mikro-orm/sql'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { createSharedInvalidation } from './cache-invalidation.ts'
import { connectionOptions, openSession } from './connection-options.ts'
import { createConnectionWatch } from './connection-watch.ts'
import { createConnections } from './connections.ts'
import type { Database, NamedStatement, Queryable } from './database.ts'
import { onFreshConnection } from './fresh-connection.ts'
import { createListener } from './listener.ts'
import { type Entities, ormOptions } from './orm.ts'
import { makeResilient } from './resilient-pool.ts'
import { requireSessionPooling } from './session-pooling.ts'
import { createSilenceGuard, createWorkingQuery } from './silence-guard.ts'
import { untilAvailable } from './startup.ts'
import { type Begin, inTransaction, unitsOfWork } from './transactions.ts'

/** PostgreSQL on a server. */
export interface PostgresDatabase extends Database {
  readonly kind: 'postgres'
  readonly url: string
  /** Whether a statement was answered in the last seconds. */
  isReachable(): boolean
}

/** How PostgreSQL is opened. */
export interface PostgresOptions {
  readonly url: string
  readonly entities: Entities
  readonly poolSize: number
  readonly log: Logger
  /** How long to wait for a server that is away, in milliseconds. @default 0 */
  readonly waitMs?: number
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined
  /** Called once, with the reason, when this process cannot reach the database any more and has to be started again. */
  readonly onFatal?: (error: Error) => void
  /** How long an outage lasts before it is found out whether the process can recover, in milliseconds. @default 60,000 */
  readonly recoverWithinMs?: number
}

const probeWithinMs = 5_000
// What is on its way at the end has this long to finish. Connections that are silent would never.
const drainMs = 2_000

// What is notified lives in memory, so there is no disk to wait for; nor does a commit that waits for it keep others from notifying.
const notifying = { name: 'notify', text: `select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)` }

// The driver may change the object it is given, so each query gets a new one.
const toPreparing = (statement: string | NamedStatement) => (typeof statement === 'string' ? statement : { ...statement })

const queryOn =
  (client: Pick<Pool, 'query'>): Queryable['query'] =>
  async <Row extends object>(statement: string | NamedStatement, values: readonly unknown[] = []) => {
    const config = typeof statement === 'string' ? { text: statement } : statement
    return (await client.query<Row>({ ...config, values: values as unknown[] })).rows
  }

/** Opens transactions on a connection of the pool. A connection that cannot roll back is closed. */
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

// "flow" in hexadecimal; any constant does, as long as every process uses the same.
const migrationLock = 0x666c6f77

/** Processes that start at once migrate one after the other: the later ones find nothing left to do. */
const migrateAlone = async (pool: Pool, migrate: () => Promise<unknown>): Promise<void> => {
  const client = await pool.connect()
  try {
    // Another process may take as long as it takes.
    await client.query('set statement_timeout = 0')
    await client.query('select pg_advisory_lock($1)', [migrationLock])
    await migrate()
  } finally {
    // Closing the connection gives the lock back, whatever happened.
    client.release(true)
  }
}

/**
 * Opens a pool of connections to PostgreSQL and brings its tables up to date.
 * @throws DatabaseStartupError when the database cannot be used as it is set up, or stays away for `waitMs`.
 */
export const openPostgres = (options: PostgresOptions): Promise<PostgresDatabase> =>
  untilAvailable(
    async () => {
      await requireSessionPooling(options.url)
      return openOnce(options)
    },
    { waitMs: options.waitMs ?? 0, log: options.log, signal: options.signal },
  )

const openOnce = async (options: PostgresOptions): Promise<PostgresDatabase> => {
  const { url, poolSize, log, onFatal = (error) => log.fatal({ err: error }, error.message), recoverWithinMs } = options
  const connections = createConnections({ onAnswer: () => watch.answered(), onError: (error) => watch.failed(error) })
  const orm = await MikroORM.init({
    ...ormOptions,
    entities: [...options.entities],
    clientUrl: url,
    pool: { min: 0, max: poolSize },
    // The ORM reads host, user and database from the URL and ignores the rest of it, `sslmode` included.
    driverOptions: { ...connectionOptions(url, 'flowpost'), onConnect: openSession, Client: connections.Client },
  })
  const pool = await orm.em.getConnection().getNativeClient()
  const watch = createConnectionWatch({
    log,
    onFatal,
    probe: () => pool.query('select 1'),
    probeAfresh: () => onFreshConnection(url, probeWithinMs, (client) => client.query('select 1')),
    ...(recoverWithinMs === undefined ? {} : { recoverWithinMs }),
  })
  makeResilient(pool, { onError: watch.failed })
  const guard = createSilenceGuard({ connections: connections.open, log, askWorking: createWorkingQuery(url) })
  guard.start()
  const listener = createListener({ url, log })
  const close = async () => {
    watch.stop()
    await listener.close()
    const timer = setTimeout(() => connections.abandonAll(), drainMs)
    await orm.close(true).finally(() => clearTimeout(timer))
    guard.stop()
  }
  try {
    guard.letRunLong(true)
    await migrateAlone(pool, () => orm.migrator.up())
    guard.letRunLong(false)
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
    isReachable: watch.isReachable,
    query,
    transaction: (work) => inTransaction(begin, invalidation, work),
    unitOfWork: (work) => inTransaction(beginUnit, invalidation, work),
    notify: async (channel, payload) => {
      await query(notifying, [channel, payload])
    },
    listen: listener.listen,
    invalidate: invalidation.publish,
    onInvalidation: invalidation.subscribe,
    close,
  }
}
