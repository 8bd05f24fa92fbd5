import { join } from 'node:path'
import { MikroORM as PGliteORM } from '@mikro-orm/pglite'
import { MikroORM as PostgresORM } from '@mikro-orm/postgresql'
import { describe, expect, it } from 'vitest'
import { ormOptions } from '../src/database/orm.ts'
import { entities } from '../src/entities.ts'
import { createTestDatabase } from './support/test-database.ts'

describe('migrations', () => {
  it('create exactly the tables that the entities describe', async () => {
    const database = await createTestDatabase()
    const orm =
      database.url === undefined
        ? await PGliteORM.init({ ...ormOptions, entities, dbName: join(database.dataDir, 'db') })
        : await PostgresORM.init({ ...ormOptions, entities, clientUrl: database.url })
    try {
      expect(await orm.schema.getUpdateSchemaSQL({ wrap: false, schema: 'public' })).toBe('')
    } finally {
      await orm.close(true)
      await database.remove()
    }
  })
})
