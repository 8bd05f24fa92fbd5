import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { migrateProgram } from '../../src/cli/migrate.ts'
import { openEmbedded } from '../../src/database/embedded.ts'
import { DatabaseStartupError } from '../../src/database/until-available.ts'
import { entities } from '../../src/entities.ts'
import { runCommand } from '../support/run-command.ts'
import { createTestDatabase } from '../support/test-database.ts'

it.skipIf(inject('postgres'))('an embedded database that cannot be opened is reported with its folder and likely causes', async () => {
  const database = await createTestDatabase()
  const folder = join(database.dataDir, 'db')
  try {
    truncateSync(join(folder, 'global/pg_control'), 100)
    const { code, err } = await runCommand(migrateProgram, ['--status'], database.env)
    expect([code, err]).toEqual([1, expect.stringContaining(`The embedded database in ${folder} could not be opened`)])
    expect(err).toMatch(/\. The disk may be full, .+ restore a backup\.\n$/)
    await expect(openEmbedded({ entities, dataDir: database.dataDir })).rejects.toThrow(DatabaseStartupError)
  } finally {
    await database.remove()
  }
})
