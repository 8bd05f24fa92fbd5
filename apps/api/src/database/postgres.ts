import { MikroORM } from '@mikro-orm/postgresql'
import type { MikroORM as SqlMikroORM } from '@mikro-orm/sql'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { createSharedChanges } from './changes.ts'
import type { Database, NamedStatement } from './database.ts'
import { createListener } from './listener.ts'
import { ormOptions } from './orm.ts'
import { onConnect } from './planner.ts'
import { inTransaction } from './transactions.ts'

/** PostgreSQL on a server. */
export interface PostgresDatabase extends Database {
  readonly kind: 'postgres'
  readonly url: string
}

// What is notified lives in memory, so there is no disk to wait for; nor does a commit that waits for it keep others from notifying.
const notifying = { name: 'notify', text: `select set_config('synchronous_commit', 'off', true), pg_notify($1, $2)` }

// What the driver is given may be changed by it, so it is made anew for each query.
const toPreparing = (statement: string | NamedStatement) => (typeof statement === 'string' ? statement : { ...statement })

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
  const query: Database['query'] = async <Row extends object>(statement: string | NamedStatement, values: readonly unknown[] = []) => {
    const config = typeof statement === 'string' ? { text: statement } : statement
    return (await pool.query<Row>({ ...config, values: values as unknown[] })).rows
  }
  const changes = createSharedChanges({ query, listen: listener.listen })
  return {
    kind: 'postgres',
    url,
    query,
    transaction: (work) => inTransaction(orm as unknown as SqlMikroORM, changes, toPreparing, work),
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
