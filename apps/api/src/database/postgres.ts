import { MikroORM } from '@mikro-orm/postgresql'
import type { MikroORM as SqlMikroORM } from '@mikro-orm/sql'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { createSharedChanges } from './changes.ts'
import type { Database, NamedStatement, Queryable } from './database.ts'
import { createListener } from './listener.ts'
import { ormOptions } from './orm.ts'
import { onConnect } from './query-hints.ts'
import { type Begin, inTransaction, unitsOfWork } from './transactions.ts'

/** PostgreSQL on a server. */
export interface PostgresDatabase extends Database {
  readonly kind: 'postgres'
  readonly url: string
}

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

/** Opens a pool of connections to PostgreSQL and brings its tables up to date. */
export const openPostgres = async (options: { url: string; poolSize: number; log: Logger }): Promise<PostgresDatabase> => {
  const { url, poolSize, log } = options
  const orm = await MikroORM.init({
    ...ormOptions,
    clientUrl: url,
    pool: { min: 0, max: poolSize },
    driverOptions: {
      application_name: 'flowpost',
      connectionTimeoutMillis: 5_000,
      statement_timeout: 30_000,
      keepAlive: true,
      onConnect,
    },
  })
  const pool = await orm.em.getConnection().getNativeClient()
  await migrateAlone(pool, () => orm.migrator.up())
  const listener = createListener({ url, log })
  const query = queryOn(pool)
  const begin = beginOn(pool)
  const beginUnit = unitsOfWork(orm as unknown as SqlMikroORM, toPreparing)
  const changes = createSharedChanges({ query, listen: listener.listen })
  return {
    kind: 'postgres',
    url,
    query,
    transaction: (work) => inTransaction(begin, changes, work),
    unitOfWork: (work) => inTransaction(beginUnit, changes, work),
    notify: async (channel, payload) => {
      await query(notifying, [channel, payload])
    },
    listen: listener.listen,
    changed: changes.tell,
    onChange: changes.listen,
    close: async () => {
      await listener.close()
      await orm.close(true)
    },
  }
}
