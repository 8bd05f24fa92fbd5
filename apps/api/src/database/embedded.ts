import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { MikroORM } from '@mikro-orm/pglite'
import type { MikroORM as SqlMikroORM } from '@mikro-orm/sql'
import { createLocalChanges } from './changes.ts'
import { type Database, type NamedStatement, textOf } from './database.ts'
import { createEmbeddedStatements } from './embedded-statements.ts'
import { ormOptions } from './orm.ts'
import { plannerStatements } from './query-hints.ts'
import { inTransaction, unitsOfWork } from './transactions.ts'

/** The embedded database, with the instance that the queue needs too. */
export interface EmbeddedDatabase extends Database {
  readonly kind: 'embedded'
  readonly pglite: PGlite
}

/**
 * Opens PostgreSQL inside this process, stored in `<dataDir>/db`, and brings its tables up to date.
 * Nothing keeps a second process from the folder: hold the lock of `lock.ts` first.
 */
export const openEmbedded = async (options: { dataDir: string }): Promise<EmbeddedDatabase> => {
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 })
  const orm = await MikroORM.init({ ...ormOptions, dbName: join(options.dataDir, 'db') })
  await orm.migrator.up()
  const pglite = await orm.em.getConnection().getNativeClient()
  await pglite.exec(plannerStatements)
  const { run, begin } = createEmbeddedStatements(pglite)
  const beginUnit = unitsOfWork(orm as unknown as SqlMikroORM, textOf)
  const changes = createLocalChanges()
  return {
    kind: 'embedded',
    pglite,
    query: async <Row extends object>(statement: string | NamedStatement, values: readonly unknown[] = []) =>
      typeof statement === 'string' ? (await pglite.query<Row>(statement, values as unknown[])).rows : run<Row>(statement, values),
    transaction: (work) => inTransaction(begin, changes, work),
    unitOfWork: (work) => inTransaction(beginUnit, changes, work),
    notify: async (channel, payload) => {
      await pglite.query('select pg_notify($1, $2)', [channel, payload])
    },
    listen: async (channel, onNotification) => {
      const stop = await pglite.listen(channel, onNotification)
      return () => stop()
    },
    changed: changes.tell,
    onChange: changes.listen,
    close: () => orm.close(true),
  }
}
