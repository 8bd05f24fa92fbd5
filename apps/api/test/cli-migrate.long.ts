import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keysProgram } from '../src/cli/keys.ts'
import { migrateProgram } from '../src/cli/migrate.ts'
import { migrations } from '../src/database/migrations/index.ts'
import { onDatabase } from './support/direct-database.ts'
import { emptyDatabase } from './support/migrate-database.ts'
import { runBinary, runCommand } from './support/run-command.ts'
import { createTestDatabase, type TestDatabase } from './support/test-database.ts'
import { startTestServer } from './support/test-server.ts'
import { lastMigration, undoLastMigration } from './support/undo-last-migration.ts'

const listed = (state: string): string => migrations.map(({ name }) => `${state} ${name}\n`).join('')

describe('pnpm migrate', () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await createTestDatabase()
  })
  afterEach(() => database.remove())

  const run = (...args: string[]) => runCommand(migrateProgram, args, database.env)

  it('applies the pending migrations and prints their names', async () => {
    // An embedded database is migrated whenever it is opened, so only its last migration is undone.
    const isEmbedded = database.url === undefined
    await (isEmbedded ? undoLastMigration(database) : onDatabase(database, emptyDatabase))
    const before = await run('--status')
    const migrated = await run()
    const again = await run()
    const after = await run('--status')

    const pending = isEmbedded ? `pending ${lastMigration}\n` : listed('pending')
    expect([before.code, before.out.endsWith(`${pending}Run \`pnpm migrate\` before you start this version.\n`)]).toEqual([3, true])
    expect([migrated.code, migrated.out]).toEqual([0, isEmbedded ? `applied ${lastMigration}\n` : listed('applied')])
    expect([again.code, again.out]).toEqual([0, 'All migrations were already applied.\n'])
    expect([after.code, after.out]).toEqual([0, `${listed('applied')}This version can run on the database.\n`])
  })

  it('fails with the reason on a database that needs a later release', async () => {
    await onDatabase(database, async (query) => {
      await query(`insert into flowpost_migrations (name) values ('29990101000000-later')`)
      await query(`update flowpost_compatibility set required_migration = '29990101000000-later', migrated_by = '9.8.7'`)
    })
    const migrated = await run()
    const status = await run('--status')

    expect([migrated.code, migrated.out]).toEqual([1, ''])
    expect(migrated.err).toMatch(
      /^A later release \(Flowpost 9\.8\.7\) has migrated the database\. The database now requires .*29990101000000-later\. .*backup/,
    )
    expect([status.code, status.out, status.err]).toEqual([1, `${listed('applied')}newer   29990101000000-later\n`, migrated.err])
  })

  it('runs beside a server on PostgreSQL, and reports the server that uses the embedded database', async () => {
    const server = await startTestServer({ database })
    const { code, out, err } = await run()
    await server.stop()

    if (database.url !== undefined) expect([code, out]).toEqual([0, 'All migrations were already applied.\n'])
    else
      expect([code, err]).toEqual([1, expect.stringMatching(/^The data folder .* is in use by Flowpost, process \d+\. Stop that process/)])
  })
})

describe('pnpm migrate, without a database', () => {
  let dataDir: string
  beforeEach(async () => {
    dataDir = join(await mkdtemp(join(tmpdir(), 'flowpost-cli-')), 'data')
  })
  afterEach(() => rm(join(dataDir, '..'), { recursive: true, force: true }))

  it('creates an embedded database when it migrates, but not when it only shows the state', async () => {
    const env = { FLOWPOST_DATA_DIR: dataDir }
    const status = await runCommand(migrateProgram, ['--status'], env)
    const isCreated = existsSync(dataDir)
    const created = await runCommand(migrateProgram, [], env)

    expect([status.code, status.err, isCreated]).toEqual([1, `There is no database in ${dataDir}. Check FLOWPOST_DATA_DIR.\n`, false])
    expect([created.code, created.out, created.err]).toEqual([0, listed('applied'), `Created a new database in ${dataDir}.\n`])
  })

  it('creates no database where a restore was interrupted, and neither does `pnpm keys`', async () => {
    await mkdir(join(dataDir, 'replaced'), { recursive: true })
    const env = { FLOWPOST_DATA_DIR: dataDir }
    for (const result of [
      await runCommand(migrateProgram, [], env),
      await runCommand(keysProgram, ['create', '--user', 'alice', '--scope', 'notifications:send'], env),
    ])
      expect([result.code, result.err]).toEqual([1, expect.stringMatching(/^A restore into .* was interrupted\. Run it again, or rename/)])
    expect(existsSync(join(dataDir, 'db'))).toBe(false)
  })

  it('prints its help, and reports invalid arguments and an unreachable database', async () => {
    const help = await runCommand(migrateProgram, ['--help'], {})
    const invalid = await runBinary('migrate.js', ['--up'], {})
    const unreachable = await runCommand(migrateProgram, ['--status'], { DATABASE_URL: 'postgres://postgres@127.0.0.1:1/flowpost' })

    expect([help.code, help.out]).toEqual([0, expect.stringContaining('Exit codes:')])
    expect([invalid.code, invalid.err]).toEqual([2, "Unknown option '--up'. Run `pnpm migrate --help` for help.\n"])
    expect([unreachable.code, unreachable.err]).toEqual([1, 'The database at DATABASE_URL cannot be reached.\n'])
  })
})
