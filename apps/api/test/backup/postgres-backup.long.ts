import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { backupProgram } from '../../src/cli/backup.ts'
import { migrateProgram } from '../../src/cli/migrate.ts'
import { restoreProgram } from '../../src/cli/restore.ts'
import { childEnvironment } from '../support/child-environment.ts'
import { canBackUp, needsPrograms } from '../support/client-programs.ts'
import { runCommand } from '../support/run-command.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'

describe.skipIf(!inject('postgres'))('a backup of PostgreSQL', () => {
  let database: TestDatabase
  let folder: string
  let client: Client
  beforeEach(async (context) => {
    database = await createTestDatabase()
    folder = mkdtempSync(join(tmpdir(), 'flowpost-backups-'))
    client = new Client(database.url)
    await client.connect()
    if (!(await canBackUp(database))) context.skip(needsPrograms)
  })
  afterEach(async () => {
    vi.unstubAllEnvs()
    await client.end()
    rmSync(folder, { recursive: true, force: true })
    await database.remove()
  })
  const backup = () => join(folder, 'first')
  const backUp = async () => expect(await runCommand(backupProgram, [backup()], database.env)).toMatchObject({ code: 0, err: '' })

  it('lists exactly the tables of the dump if a table is created before the dump begins', async () => {
    const path = process.env['PATH']
    const program = `#!/bin/sh
      export PATH='${path}'
      for last; do :; done
      [ "$1" = --version ] || psql --quiet --command='create table added_meanwhile ()' "$last" || exit 1
      exec pg_dump "$@"`
    writeFileSync(join(folder, 'pg_dump'), program, { mode: 0o755 })
    vi.stubEnv('PATH', `${folder}:${path}`)
    await backUp()
    vi.unstubAllEnvs()

    const list = execFileSync('pg_restore', ['--list', join(backup(), 'database.dump')], { encoding: 'utf8' })
    const dumped = [...list.matchAll(/ TABLE public (\S+) /g)].map(([, name]) => name)
    const { tables } = JSON.parse(readFileSync(join(backup(), 'manifest.json'), 'utf8')) as { tables: string[] }
    expect(dumped.toSorted()).toEqual(tables.toSorted())
    expect((await client.query(`select to_regclass('added_meanwhile') is not null as exists`)).rows).toEqual([{ exists: true }])
  })

  describe('with tables of another schema than the one that Flowpost uses', () => {
    const rejected = {
      code: 1,
      out: '',
      err:
        'The backup has tables of the schema "public", but DATABASE_URL uses the schema "flowpost". ' +
        'Use a database with an empty schema "public" that is first in search_path.\n',
    }
    let env: TestDatabase['env']
    beforeEach(async () => {
      await backUp()
      await client.query('drop schema public cascade; create schema public; create schema flowpost')
      const url = new URL(database.url ?? '')
      url.searchParams.set('options', '-c search_path=flowpost')
      env = { ...database.env, DATABASE_URL: url.toString() }
    })

    it('is not restored into an empty database, where servers would not find the tables', async () => {
      expect(await runCommand(restoreProgram, [backup()], env)).toEqual(rejected)
      expect((await client.query(`select tablename from pg_tables where schemaname = 'public'`)).rows).toEqual([])
    })

    it("does not replace another application's tables in that schema", async () => {
      await client.query(`create table public.projects as select 'of another application' as title`)
      expect((await runCommand(migrateProgram, [], env)).code).toBe(0)
      expect(await runCommand(restoreProgram, [backup(), '--replace'], env)).toEqual(rejected)
      expect((await client.query('select * from public.projects')).rows).toEqual([{ title: 'of another application' }])
    })
  })

  it('is not restored by a command that was terminated', async () => {
    await backUp()
    await client.query('create index only_now on projects (name)')
    const other = new Client(database.url)
    await other.connect()
    await other.query('begin')
    await other.query('lock table projects')
    const binary = join(import.meta.dirname, '../../bin/restore.js')
    const child = spawn(process.execPath, [binary, backup(), '--replace'], { env: { ...childEnvironment, ...database.env } })
    let err = ''
    child.stderr.on('data', (chunk: Buffer) => {
      err += String(chunk)
    })
    const sessions = async () =>
      (
        await client.query(
          `select wait_event_type as wait from pg_stat_activity where datname = current_database() and application_name = 'pg_restore'`,
        )
      ).rows
    await expect.poll(sessions).toEqual([{ wait: 'Lock' }])
    child.kill('SIGTERM')
    expect(await once(child, 'close')).toEqual([1, null])
    expect(err).toMatch(/^Interrupted by SIGTERM: pg_restore was stopped before it finished\. The database is either unchanged or/)

    await expect.poll(sessions).toEqual([])
    await other.end()
    expect((await client.query(`select to_regclass('only_now') is not null as exists`)).rows).toEqual([{ exists: true }])
  })
})
