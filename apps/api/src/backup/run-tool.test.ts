import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BackupError } from './backup-error.ts'
import { createBackupFolder } from './create-backup-folder.ts'
import { dumpSchema } from './postgres-tools.ts'
import { requireTool, runTool } from './run-tool.ts'

let folder: string
let programs: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flowpost-tools-'))
  programs = mkdtempSync(join(tmpdir(), 'flowpost-programs-'))
  vi.stubEnv('PATH', `${programs}:${process.env['PATH']}`)
  vi.stubEnv('TMPDIR', folder)
})
afterEach(() => {
  vi.unstubAllEnvs()
  for (const path of [folder, programs]) rmSync(path, { recursive: true, force: true })
})

/** Puts a program with this shell script first in PATH. */
const install = (name: string, script: string) => writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })

describe("a client program's version", () => {
  it.each([
    ['15.20 (Debian 15.20-0+deb12u1)', 15],
    ['17.2', 17],
    ['18beta1', 18],
  ])("is accepted if it is the server's major version: %s", async (version, major) => {
    install('pg_dump', `echo 'pg_dump (PostgreSQL) ${version}'`)
    await requireTool('pg_dump', major)
  })

  it.each([14, 17])('is rejected if it is %i and the server has 15, because the server may not accept the dump', async (major) => {
    install('pg_dump', `echo 'pg_dump (PostgreSQL) ${major}.1'`)
    await expect(requireTool('pg_dump', 15)).rejects.toThrow(
      new BackupError(
        `pg_dump has version ${major}, and the server has version 15. They must be the same. Install the PostgreSQL client programs of ` +
          'version 15, for example the Debian package postgresql-client-15, and put their folder first in PATH (on Debian, ' +
          '/usr/lib/postgresql/15/bin).',
      ),
    )
  })

  it.each([15, 16, 18])('of pg_restore is accepted if it is %i and the server has 15', async (major) => {
    install('pg_restore', `echo 'pg_restore (PostgreSQL) ${major}.1'`)
    await requireTool('pg_restore', 15)
  })

  it('of pg_restore is rejected if it is older than the server', async () => {
    install('pg_restore', `echo 'pg_restore (PostgreSQL) 14.1'`)
    await expect(requireTool('pg_restore', 15)).rejects.toThrow(
      'pg_restore has version 14, and the server has version 15. It must not be older than the server. Install the PostgreSQL client',
    )
  })

  it('is rejected if the program is missing or does not run', async () => {
    install('pg_restore', 'echo "no client is installed" >&2; exit 1')
    await expect(requireTool('pg_restore', 15)).rejects.toThrow(new BackupError('pg_restore does not run: no client is installed'))
    install('pg_restore', 'exit 1')
    await expect(requireTool('pg_restore', 15)).rejects.toThrow(/^pg_restore does not run: Command failed: .+--version$/)
    vi.stubEnv('PATH', folder)
    await expect(requireTool('pg_restore', 15)).rejects.toThrow('pg_restore was not found in PATH. Install the PostgreSQL client programs')
  })
})

describe('a running client program', () => {
  // A shell handles a signal only after its current command, so this one runs many short commands.
  const endless = (name: string) =>
    install(name, `trap 'touch "${folder}/ended"; exit 1' TERM INT HUP\ntouch "${folder}/started"\nwhile :; do sleep 0.05; done`)
  const started = () => vi.waitFor(() => expect(existsSync(join(folder, 'started'))).toBe(true), 10_000)

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('ends on %s before the command ends', async (signal) => {
    endless('pg_restore')
    const before = process.listenerCount(signal)
    const running = expect(runTool('pg_restore', [], {})).rejects.toThrow(
      new BackupError(
        `Interrupted by ${signal}: pg_restore was stopped before it finished. The database is either unchanged or completely restored.`,
      ),
    )
    await started()
    process.emit(signal, signal)
    await running
    expect(existsSync(join(folder, 'ended'))).toBe(true)
    expect(process.listenerCount(signal)).toBe(before)
  })

  it('leaves neither a partial backup nor a temporary file when a signal stops it', async () => {
    endless('pg_dump')
    const url = 'postgres://postgres@127.0.0.1/flowpost?sslmode=verify-full'
    const running = expect(
      createBackupFolder(join(folder, 'new'), (temporary) => dumpSchema(url, 'public', join(temporary, 'database.dump'))),
    ).rejects.toThrow(new BackupError('Interrupted by SIGTERM: pg_dump was stopped before it finished.'))
    await started()
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(['new.partial', expect.stringMatching(/^flowpost-ca-/)]))
    process.emit('SIGTERM', 'SIGTERM')
    await running
    expect(readdirSync(folder).toSorted()).toEqual(['ended', 'started'])
  })
})
