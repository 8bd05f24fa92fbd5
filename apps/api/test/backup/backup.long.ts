import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keyWarnings } from '../../src/backup/backup-keys.ts'
import { backupProgram } from '../../src/cli/backup.ts'
import type { CommandProgram } from '../../src/cli/command-line.ts'
import { migrateProgram } from '../../src/cli/migrate.ts'
import { restoreProgram } from '../../src/cli/restore.ts'
import { parseEncryptionKeys } from '../../src/shared/encryption-keys.ts'
import { canBackUp, needsPrograms } from '../support/client-programs.ts'
import { runBinary, runCommand } from '../support/run-command.ts'
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts'
import { expectNothingTwice, runRestore } from './restore-run.ts'

describe('pnpm backup and pnpm restore', () => {
  let database: TestDatabase
  let folder: string
  beforeEach(async () => {
    database = await createTestDatabase()
    folder = mkdtempSync(join(tmpdir(), 'flowpost-backups-'))
  })
  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true })
    await database.remove()
  })
  const run = (program: CommandProgram, ...args: string[]) => runCommand(program, args, database.env)

  it('restore a backup that was made under load, decrypt its secrets and send nothing twice', async (context) => {
    if (!(await canBackUp(database))) return context.skip(needsPrograms)
    expectNothingTwice(await runRestore(database, 60))
  })

  it('reject a database that is not empty unless --replace is given, and keep the database if the backup is damaged', async (context) => {
    if (!(await canBackUp(database))) return context.skip(needsPrograms)
    const backup = join(folder, 'first')
    expect(await run(backupProgram, backup)).toEqual({ code: 0, out: `${backup}\n`, err: '' })
    expect([statSync(backup).mode & 0o777, readdirSync(folder)]).toEqual([0o700, ['first']])
    if (database.url !== undefined) expect(statSync(join(backup, 'database.dump')).mode & 0o777).toBe(0o600)

    const rejected = await run(restoreProgram, backup)
    expect([rejected.code, rejected.err]).toEqual([1, expect.stringMatching(/replace (?:the database|them) with --replace/)])
    expect((await run(restoreProgram, backup, '--replace')).code).toBe(0)

    const path = join(backup, database.url === undefined ? 'db/global/pg_control' : 'database.dump')
    chmodSync(path, 0o600)
    writeFileSync(path, readFileSync(path).subarray(0, 100))
    const damaged = await runBinary('restore.js', [backup, '--replace'], database.env)
    const reason =
      database.url === undefined
        ? /is damaged: db\/global\/pg_control has changed since the backup/
        : /^pg_restore failed with exit code 1: /
    expect([damaged.code, damaged.err]).toEqual([1, expect.stringMatching(reason)])
    expect((await run(migrateProgram, '--status')).code).toBe(0)
  })
})

describe('the commands', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'flowpost-backups-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('report missing or unsuitable databases, backups and arguments', async () => {
    const manifest = {
      format: 1,
      created_at: '',
      flowpost: '9.0.0',
      database: 'postgres',
      migrations: ['2999-later'],
      tables: [],
      keys: [],
    }
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))
    const embedded = { FLOWPOST_DATA_DIR: join(folder, 'data') }
    const unreachable = { DATABASE_URL: 'postgres://postgres@127.0.0.1:1/flowpost' }
    const errors = await Promise.all([
      runCommand(backupProgram, [join(folder, 'new')], embedded),
      runCommand(backupProgram, [join(folder, 'new')], unreachable),
      runCommand(restoreProgram, [join(folder, 'none')], embedded),
      runCommand(restoreProgram, [folder], embedded),
      runCommand(restoreProgram, [folder], unreachable),
      runCommand(restoreProgram, [], embedded),
    ])
    expect(errors.map(({ code, err }) => [code, err.replaceAll(folder, '')])).toEqual([
      [1, 'There is no database in /data. Check FLOWPOST_DATA_DIR.\n'],
      [1, 'The database at DATABASE_URL cannot be reached.\n'],
      [1, '/none is not a backup: it has no manifest.json.\n'],
      [1, 'This is a backup of a PostgreSQL database. Set DATABASE_URL to the database to restore into.\n'],
      [1, 'The backup needs the migration 2999-later, which this release lacks. Use a later release, such as Flowpost 9.0.0.\n'],
      [2, 'Name one backup folder. Run `pnpm restore --help` for help.\n'],
    ])
  })

  it('warn about missing or changed keys that the restored secrets need', () => {
    const keysOf = (text: string) => parseEncryptionKeys(text).keys
    const [one, other] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'))
    const fingerprint = '0123456789abcdef'
    expect(keyWarnings([{ id: 'k1', fingerprint: null, secrets: 2 }], keysOf(`k1:${one}`))).toEqual([])
    expect(keyWarnings([{ id: 'k1', fingerprint, secrets: 2 }], keysOf(`k1:${other}`))).toEqual([
      '2 stored secrets cannot be decrypted: the key k1 in FLOWPOST_ENCRYPTION_KEY had a different value during the backup.',
    ])
    expect(keyWarnings([{ id: 'k1', fingerprint, secrets: 1 }], [])).toEqual([
      '1 stored secret cannot be decrypted: FLOWPOST_ENCRYPTION_KEY lacks the key k1.',
    ])
  })
})
