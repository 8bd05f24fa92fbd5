import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { canBackUp, needsPrograms } from '../support/client-programs.ts'
import { blocksOf, variablesOf } from '../support/guide-pages.ts'
import { openGuideTerminal } from '../support/guide-terminal.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { startTestServer } from '../support/test-server.ts'
import { lastMigration, undoLastMigration } from '../support/undo-last-migration.ts'

const hasCurl = spawnSync('curl', ['--version']).status === 0

it.skipIf(!hasCurl)('upgrading.md shows what is pending, migrates, and starts the servers of the new release', async (context) => {
  const blocks = blocksOf('upgrading')
  const commands = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code)
  const [status = '', backUp = '', migrate = '', waitUntilReady = '', check = ''] = commands
  expect(commands).toHaveLength(5)
  const start = blocks.find(({ language }) => language === '')
  const env = start === undefined ? {} : variablesOf(start)
  expect(env).toEqual({ FLOWPOST_MIGRATE: 'off', FLOWPOST_ROLE: 'api' })

  await using server = await startTestServer({ database: await createTestDatabase() })
  if (!(await canBackUp(server.database))) return context.skip(needsPrograms)
  await server.stop()
  const isEmbedded = server.database.url === undefined
  await using terminal = openGuideTerminal(server)
  await undoLastMigration(server.database)

  expect(await terminal.run(status)).toMatchObject({ code: 3, output: expect.stringContaining(`pending ${lastMigration}\n`) })
  // A server with FLOWPOST_MIGRATE=off waits for the command. The embedded database does not support that setting.
  const starting = isEmbedded ? undefined : server.restart({ env: { ...env, PORT: new URL(server.url).port } })
  if (!isEmbedded) expect(await terminal.run(backUp)).toMatchObject({ code: 0 })
  expect(await terminal.run(migrate)).toMatchObject({ code: 0, output: expect.stringContaining(`applied ${lastMigration}\n`) })
  const next = await (starting ?? server.restart({ env: { PORT: new URL(server.url).port } }))
  expect(await terminal.run(waitUntilReady)).toEqual({ code: 0, output: 'ready\n' })
  const { output } = await terminal.run(check)
  expect(output).toMatch(/flowpost_build_info\{version="[\d.]+"\} 1\n$/)
  if (!isEmbedded) expect(output).toContain('This version can run on the database.\n')
  await next.stop()
})
