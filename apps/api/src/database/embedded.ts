import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { MikroORM } from '@mikro-orm/pglite'
import type { MikroORM as SqlMikroORM } from '@mikro-orm/sql'
import { createLocalChanges } from './changes.ts'
import { type Database, type NamedStatement, textOf } from './database.ts'
import { createNamedStatements } from './embedded-statements.ts'
import { ormOptions } from './orm.ts'
import { plannerStatements } from './planner.ts'
import { inTransaction } from './transactions.ts'

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
  const folder = join(options.dataDir, 'db')
  // PGlite would let other users read it.
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const orm = await MikroORM.init({ ...ormOptions, dbName: folder })
  await orm.migrator.up()
  const pglite = await orm.em.getConnection().getNativeClient()
  await pglite.exec(plannerStatements)
  const runNamed = createNamedStatements(pglite)
  const changes = createLocalChanges()
  return {
    kind: 'embedded',
    pglite,
    query: async <Row extends object>(statement: string | NamedStatement, values: readonly unknown[] = []) =>
      typeof statement === 'string' ? (await pglite.query<Row>(statement, values as unknown[])).rows : runNamed<Row>(statement, values),
    transaction: (work) => inTransaction(orm as unknown as SqlMikroORM, changes, textOf, work),
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
