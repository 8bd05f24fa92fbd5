import { chmod, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startTestServer } from './support/test-server.ts'

const warning = 'Other users can open the data folder'

it('a start in a data folder that others can open warns with the command that closes it', async () => {
  await using server = await startTestServer()
  const { dataDir, url } = server.database
  if (url !== undefined) return
  await server.stop()
  expect(server.logged.join('')).not.toContain(warning)

  await chmod(dataDir, 0o755)
  const open = await server.restart()
  await open.stop()
  expect(open.logged.join('')).toContain(`${warning}. Run: chmod 700 '${dataDir}'`)
})

it('a new database is for its owner alone, even in a data folder that others can open', async () => {
  await using server = await startTestServer()
  const { dataDir, url } = server.database
  if (url !== undefined) return
  await server.stop()
  const outer = join(dataDir, 'fresh')
  await mkdir(outer)
  await chmod(outer, 0o755)
  const fresh = await server.restart({ env: { FLOWPOST_DATA_DIR: outer } })
  await fresh.stop()

  expect(((await stat(join(outer, 'db'))).mode & 0o777).toString(8)).toBe('700')
}, 120_000)
