import { join } from 'node:path'
import { expect, inject, it, vi } from 'vitest'
import { runCommand } from '../../test/support/run-command.ts'
import { createTestDatabase } from '../../test/support/test-database.ts'
import { socketPath } from '../database/lock.ts'
import { pathExists } from '../shared/path-exists.ts'
import { backupProgram } from './backup.ts'
import { keysProgram } from './keys.ts'
import { migrateProgram } from './migrate.ts'
import { restoreProgram } from './restore.ts'

it.skipIf(inject('postgres'))('other operator commands are rejected at once while a backup, a restore or a migration runs', async () => {
  const { env, dataDir, remove } = await createTestDatabase()
  const backup = join(dataDir, 'backup')
  try {
    for (const [program, args] of [
      [backupProgram, [backup]],
      [restoreProgram, [backup, '--replace']],
      [migrateProgram, []],
      [migrateProgram, ['--status']],
    ] as const) {
      const running = runCommand(program, args, env)
      await vi.waitFor(() => expect(pathExists(socketPath(dataDir))).toBe(true), { timeout: 60_000, interval: 2 })
      const { code, err } = await runCommand(keysProgram, ['list'], env)
      expect([code, err]).toEqual([1, 'Another operator command is running. Try again in a moment.\n'])
      expect((await running).code).toBe(0)
    }
  } finally {
    await remove()
  }
})
