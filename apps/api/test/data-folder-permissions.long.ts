import { chmod, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, it } from 'vitest'
import { createTestDatabase } from './support/test-database.ts'
import { startTestServer } from './support/test-server.ts'

const warning = 'Other users can open the data folder'

const embeddedOnly = it.skipIf(inject('postgres'))

embeddedOnly('logs the chmod command when other users can open the data folder', async () => {
  await using server = await startTestServer({ database: await createTestDatabase() })
  const { dataDir } = server.database
  await server.stop()
  expect(server.logged.join('')).not.toContain(warning)

  await chmod(dataDir, 0o755)
  const restarted = await server.restart()
  await restarted.stop()
  expect(restarted.logged.join('')).toContain(`${warning}. Run: chmod 700 '${dataDir}'`)
})

embeddedOnly(
  'creates the database with mode 700, even in a data folder that other users can open',
  async () => {
    await using server = await startTestServer({ database: await createTestDatabase() })
    const { dataDir } = server.database
    await server.stop()
    const openFolder = join(dataDir, 'open')
    await mkdir(openFolder)
    await chmod(openFolder, 0o755)
    const restarted = await server.restart({ env: { FLOWPOST_DATA_DIR: openFolder } })
    await restarted.stop()

    expect(((await stat(join(openFolder, 'db'))).mode & 0o777).toString(8)).toBe('700')
  },
  120_000,
)
