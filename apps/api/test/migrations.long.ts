import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Migration } from '../src/database/migrate/migration.ts'
import { migrations } from '../src/database/migrations/index.ts'
import { version } from '../src/version.ts'
import { onDatabase } from './support/direct-database.ts'
import { emptyDatabase, migrateDatabase } from './support/migrate-database.ts'
import { openTestDatabase } from './support/open-database.ts'
import { acquireDatabase } from './support/pooled-database.ts'
import type { TestDatabase } from './support/test-database.ts'

const latest = migrations.at(-1)?.name ?? ''
const newer: Migration = { name: '29990101000000-notes', statements: ['alter table flows add column notes text null'] }
const contracting: Migration = {
  name: '29990102000000-without-notes',
  requires: newer.name,
  statements: ['alter table flows drop column notes'],
}
const indexing: Migration = {
  name: '29990103000000-index',
  transactional: false,
  statements: ['drop index concurrently if exists flows_target_index', 'create index concurrently flows_target_index on flows (target)'],
}

let database: TestDatabase
beforeEach(async () => {
  database = await acquireDatabase()
})
afterEach(() => database.remove())

/** Opens the database as a release with these migrations does. Returns the names of the migrations that were applied. */
const openWith = async (additional: readonly Migration[]): Promise<string[]> => {
  const applied: string[] = []
  const opened = await openTestDatabase(database, { migrations: [...migrations, ...additional], onApplied: (name) => applied.push(name) })
  await opened.close()
  return applied
}

/** Opens the database as a release with these migrations does, and returns the compatibility window. */
const windowAfter = async (...additional: readonly Migration[]): Promise<object | undefined> => {
  const opened = await openTestDatabase(database, { migrations: [...migrations, ...additional] })
  try {
    return (await opened.query('select required_migration, migrated_by from flowpost_compatibility'))[0]
  } finally {
    await opened.close()
  }
}

describe('a database', () => {
  it('is migrated once, in the order of the migrations', async () => {
    await onDatabase(database, emptyDatabase)
    expect(await openWith([])).toEqual(migrations.map(({ name }) => name))
    expect(await openWith([])).toEqual([])
    expect([...migrations].sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual(migrations)
  })

  it('remembers the oldest migration that a process must know', async () => {
    const first = { required_migration: '20261122000100-delivery-jobs', migrated_by: version }
    expect(await windowAfter()).toEqual(first)
    expect(await windowAfter(newer)).toEqual(first)
    expect(await windowAfter(newer, contracting)).toEqual({ ...first, required_migration: newer.name })
    expect(await windowAfter(newer)).toEqual({ ...first, required_migration: newer.name })
  })

  it('is opened by an earlier release if the later release has only added to the schema', async () => {
    await openWith([newer])
    expect(await openWith([])).toEqual([])
    expect(await openWith([newer])).toEqual([])
  })

  it('is opened by the previous release, but not by the release before that, after something was removed', async () => {
    await openWith([newer, contracting])
    expect(await openWith([newer])).toEqual([])
    await expect(openTestDatabase(database, { migrations })).rejects.toThrow(
      `A later release (Flowpost ${version}) has migrated the database. The database now requires a release that contains the migration ${newer.name}. ` +
        `This release (Flowpost ${version}) contains the migrations up to ${latest}. ` +
        'Start a release that contains the required migration, or restore a backup from before the upgrade (docs/guides/upgrading.md).',
    )
  })

  it('is not opened if it has unknown migrations and no stored compatibility window', async () => {
    await onDatabase(database, async (query) => {
      await query('drop table flowpost_compatibility')
      await query(`insert into flowpost_migrations (name) values ('${newer.name}')`)
    })
    await expect(openTestDatabase(database)).rejects.toThrow(
      `The database now requires a release that contains the migration ${newer.name}.`,
    )
  })

  it('gets an index concurrently, even after an attempt that left an incomplete index', async () => {
    await onDatabase(database, (query) => query('create index flows_target_index on flows (name)'))
    expect(await openWith([indexing])).toEqual([indexing.name])
    const [index] = await onDatabase(database, (query) =>
      query<{ definition: string }>(`select pg_get_indexdef('flows_target_index'::regclass) as definition`),
    )
    expect(index?.definition).toMatch(/\(target\)$/)
  })

  it('keeps no changes from a migration that fails', async () => {
    const failing: Migration = { name: '29990104000000-failing', statements: [...newer.statements, 'select 1 / 0'] }
    await expect(openTestDatabase(database, { migrations: [...migrations, failing] })).rejects.toThrow('division by zero')
    expect(await openWith([newer])).toEqual([newer.name])
  })

  it('without the table for the compatibility window gets the remaining migrations', async () => {
    await onDatabase(database, async (query) => {
      await emptyDatabase(query)
      await migrateDatabase(query, '20261122000100-delivery-jobs')
    })
    const later = migrations.map(({ name }) => name).filter((name) => name > '20261122000100-delivery-jobs')
    expect(later).toContain('20261123000000-compatibility-window')
    expect(await openWith([])).toEqual(later)
  })
})
