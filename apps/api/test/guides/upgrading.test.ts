import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { migrations } from '../../src/database/migrations/index.ts'
import { onDatabase } from '../support/direct-database.ts'
import { blocksOf, openGuideTerminal, variablesOf } from '../support/guide-terminal.ts'
import { startTestServer } from '../support/test-server.ts'

const canRun = ['curl', 'pg_dump'].every((program) => spawnSync(program, ['--version']).status === 0)
const last = migrations.at(-1)?.name
const undoLast = [
  'drop table settings_history',
  'drop table settings_history_start',
  'alter table notifications drop column named_flow_id, drop column has_target',
  `delete from flowpost_migrations where name = '${last}'`,
]

it.skipIf(!canRun)('upgrading.md shows what is pending, migrates, and starts the servers of the new release', async () => {
  const blocks = blocksOf('upgrading')
  const commands = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code)
  const [status = '', backUp = '', migrate = '', waitUntilReady = '', check = ''] = commands
  expect(commands).toHaveLength(5)
  const start = blocks.find(({ language }) => language === '')
  const env = start === undefined ? {} : variablesOf(start)
  expect(env).toEqual({ FLOWPOST_MIGRATE: 'off', FLOWPOST_ROLE: 'api' })

  await using server = await startTestServer()
  await server.stop()
  const isEmbedded = server.database.url === undefined
  await using terminal = openGuideTerminal(server)
  await onDatabase(server.database, async (query) => {
    for (const statement of undoLast) await query(statement)
  })

  expect(await terminal.run(status)).toMatchObject({ code: 3, output: expect.stringContaining(`pending ${last}\n`) })
  // A server with FLOWPOST_MIGRATE=off waits for the command. The configuration rejects it for the embedded database.
  const starting = isEmbedded ? undefined : server.restart({ env: { ...env, PORT: new URL(server.url).port } })
  if (!isEmbedded) expect(await terminal.run(backUp)).toMatchObject({ code: 0 })
  expect(await terminal.run(migrate)).toMatchObject({ code: 0, output: expect.stringContaining(`applied ${last}\n`) })
  const next = await (starting ?? server.restart({ env: { PORT: new URL(server.url).port } }))
  expect(await terminal.run(waitUntilReady)).toEqual({ code: 0, output: 'ready\n' })
  const { output } = await terminal.run(check)
  expect(output).toMatch(/flowpost_build_info\{version="[\d.]+"\} 1\n$/)
  if (!isEmbedded) expect(output).toContain('This version can run on the database.\n')
  await next.stop()
})
