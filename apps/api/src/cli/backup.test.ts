import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from '../../test/support/run-command.ts'
import { withoutRoot } from '../../test/support/without-root.ts'
import { readConfig } from '../config/config.ts'
import { lockDataFolder } from '../database/lock.ts'
import { backupProgram } from './backup.ts'
import { migrateProgram } from './migrate.ts'
import { runOnDatabase } from './run-on-database.ts'

let folder: string
let env: Readonly<Record<string, string>>
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flowpost-backups-'))
  env = { FLOWPOST_DATA_DIR: folder }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('a backup by a running server', () => {
  beforeEach(() => mkdirSync(join(folder, 'db')))

  it('fails if the folder does not exist for the command', async () => {
    const lock = await lockDataFolder(folder)
    lock.serve(async () => ({ result: {} }))
    const { code, out, err } = await runCommand(backupProgram, [join(folder, 'new')], env)
    await lock.release()
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/^The server made a backup in .+new, but this command finds none there\. .+ PrivateTmp/)
  })

  it('does not start if the folder exists for the command', async () => {
    const lock = await lockDataFolder(folder)
    let commands = 0
    lock.serve(async () => {
      commands += 1
      return { result: {} }
    })
    const { code, err } = await runCommand(backupProgram, [folder], env)
    await lock.release()
    expect([code, err, commands]).toEqual([1, `${folder} already exists. Name a folder that does not exist.\n`, 0])
  })
})

it('a backup asks the server before it looks for the database', async () => {
  const lock = await lockDataFolder(folder)
  lock.serve(async () => ({ error: 'The server has responded.' }))
  const { code, err } = await runCommand(backupProgram, [join(folder, 'new')], env)
  await lock.release()
  expect([code, err]).toEqual([1, 'The server has responded.\n'])
})

describe("a user who may not open the server's data folder", () => {
  beforeEach(() => {
    mkdirSync(join(folder, 'db'))
    chmodSync(folder, 0)
  })
  afterEach(() => chmodSync(folder, 0o700))

  it.each([
    [
      'backup',
      backupProgram,
      ['/nonexistent/new'],
      'Access to the control socket FOLDER/flowpost.sock is denied. Run the command as the user',
    ],
    ['migrate --status', migrateProgram, ['--status'], "The process lacks a permission: EACCES: permission denied, stat 'FOLDER/db'"],
    ['migrate', migrateProgram, [], "The process lacks a permission: EACCES: permission denied, stat 'FOLDER/db'"],
  ] as const)('learns from %s that a permission is missing', async (_name, program, args, message) => {
    const { code, err } = await withoutRoot(() => runCommand(program, args, env))
    expect([code, err.replaceAll(folder, 'FOLDER')]).toEqual([1, expect.stringContaining(message)])
  })
})

describe('a data folder whose path is too long for a socket', () => {
  it('is reported in one line', async () => {
    const dataDir = join(folder, 'x'.repeat(200))
    mkdirSync(join(dataDir, 'db'), { recursive: true })
    const { code, err } = await runCommand(backupProgram, [join(folder, 'new')], { FLOWPOST_DATA_DIR: dataDir })
    expect([code, err]).toEqual([1, expect.stringMatching(/^The path of the data folder is too long for a socket .+\n$/)])
  })
})

describe('after an interrupted restore', () => {
  beforeEach(() => mkdirSync(join(folder, 'replaced')))
  const interrupted = `A restore into `

  it('backup and migrate --status report it instead of a missing database', async () => {
    for (const [program, args] of [
      [backupProgram, [join(folder, 'new')]],
      [migrateProgram, ['--status']],
    ] as const) {
      const { code, err } = await runCommand(program, args, env)
      expect([code, err]).toEqual([1, expect.stringContaining(`${interrupted}${folder} was interrupted. Run it again`)])
    }
  })

  it('operator commands report it instead of a missing database', async () => {
    const command = { name: 'keys.list', input: {}, run: async () => ({ result: {} }) }
    const running = runOnDatabase(readConfig(env).config, pino({ level: 'silent' }), command)
    await expect(running).rejects.toThrow(`${interrupted}${folder} was interrupted. Run it again`)
  })
})
