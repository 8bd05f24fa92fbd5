import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { MikroORM } from '@mikro-orm/pglite'
import type { MikroORM as SqlMikroORM } from '@mikro-orm/sql'
import { createLocalInvalidation } from './cache-invalidation.ts'
import { type Database, type NamedStatement, textOf } from './database.ts'
import { EmbeddedConnection } from './embedded-connection.ts'
import { createEmbeddedStatements } from './embedded-statements.ts'
import { type Entities, ormOptions } from './orm.ts'
import { plannerStatements } from './query-hints.ts'
import { inTransaction, unitsOfWork } from './transactions.ts'

/** PostgreSQL in a thread of this process. */
export interface EmbeddedDatabase extends Database {
  readonly kind: 'embedded'
  readonly connection: EmbeddedConnection
}

/**
 * Opens PostgreSQL inside this process, stored in `<dataDir>/db`, and brings its tables up to date.
 * Nothing keeps a second process from the folder: hold the lock of `lock.ts` first.
 */
export const openEmbedded = async (options: { dataDir: string; entities: Entities }): Promise<EmbeddedDatabase> => {
  const folder = join(options.dataDir, 'db')
  // PGlite would let other users read it.
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const connection = new EmbeddedConnection(folder)
  await connection.waitReady
  const orm = await MikroORM.init({
    ...ormOptions,
    entities: [...options.entities],
    dbName: folder,
    driverOptions: { pglite: () => connection },
  })
  await orm.migrator.up()
  await connection.exec(plannerStatements)
  const { run, begin } = createEmbeddedStatements(connection)
  const beginUnit = unitsOfWork(orm as unknown as SqlMikroORM, textOf)
  const invalidation = createLocalInvalidation()
  return {
    kind: 'embedded',
    connection,
    query: async <Row extends object>(statement: string | NamedStatement, values: readonly unknown[] = []) =>
      typeof statement === 'string' ? (await connection.query<Row>(statement, values as unknown[])).rows : run<Row>(statement, values),
    transaction: (work) => inTransaction(begin, invalidation, work),
    unitOfWork: (work) => inTransaction(beginUnit, invalidation, work),
    notify: async (channel, payload) => {
      await connection.query('select pg_notify($1, $2)', [channel, payload])
    },
    listen: (channel, onNotification) => connection.listen(channel, onNotification),
    invalidate: invalidation.publish,
    onInvalidation: invalidation.subscribe,
    close: async () => {
      await orm.close(true)
      await connection.close()
    },
  }
}
