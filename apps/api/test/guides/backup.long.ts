import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { canBackUp, needsPrograms } from '../support/client-programs.ts'
import { blocksOf, variablesOf } from '../support/guide-pages.ts'
import { openGuideTerminal } from '../support/guide-terminal.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { startTestServer } from '../support/test-server.ts'

const hasCurl = spawnSync('curl', ['--version']).status === 0

it.skipIf(!hasCurl)('backup.md restores a backup, and cancels the message that was unfinished at backup time', async (context) => {
  const blocks = blocksOf('backup')
  const commands = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code)
  const starts = blocks.filter(({ language }) => language === '')
  const [restart, decide, staging, ...others] = starts.map((block) => variablesOf(block))
  expect([restart, others]).toEqual([{}, []])
  expect(readConfig({ ...staging }).config).toMatchObject({ afterRestore: 'cancel', capture: 'on' })

  const database = await createTestDatabase()
  await using server = await startTestServer({ env: { FLOWPOST_CAPTURE: 'missing' }, database })
  if (!(await canBackUp(database))) return context.skip(needsPrograms)
  const PORT = new URL(server.url).port
  await using terminal = openGuideTerminal(server)
  const [backUp = '', restore = '', readOnHold = '', readDecision = '', copy = ''] = commands
  expect(commands).toHaveLength(5)

  expect((await terminal.run(backUp)).output).toContain(`${terminal.folder}/backups/first\n`)
  await server.stop()
  expect(await terminal.run(restore)).toMatchObject({ code: 0, output: expect.stringContaining('Restored the backup from ') })

  const held = await server.restart({ env: { PORT } })
  const page = blocks.find(({ language }) => language === 'text')?.code
  expect((await terminal.run(readOnHold)).output).toBe(page)
  await held.stop()

  const deciding = await server.restart({ env: { PORT, ...decide } })
  const { output } = await terminal.run(readDecision)
  expect(JSON.parse(output.trim().split('\n').at(-1) ?? '')).toMatchObject({
    status: 'canceled',
    deliveries: [{ status: 'canceled', failure: { code: 'restored' } }],
  })

  // cron passes the rest of the line after the five fields of the time, without the backslashes before percent signs.
  const job =
    blocks
      .findLast(({ language }) => language === 'text')
      ?.code.replace(/^(?:\S+ ){5}/, '')
      .replaceAll('\\%', '%') ?? ''
  const folder = join(terminal.folder, 'scheduled')
  mkdirSync(folder)
  const scheduled = job
    .trim()
    .replaceAll('/backups', folder)
    .replace('/srv/flowpost', resolve(import.meta.dirname, '../..'))
  expect(await terminal.run(`(${scheduled})`)).toMatchObject({ code: 0 })
  expect(readdirSync(folder)).toEqual([expect.stringMatching(/^flowpost-\d{4}-\d\d-\d\dT\d{4}$/)])
  await deciding.stop()

  if (database.url !== undefined) return
  expect(await terminal.run(copy)).toMatchObject({ code: 0 })
  const FLOWPOST_DATA_DIR = join(terminal.folder, staging?.['FLOWPOST_DATA_DIR'] ?? '')
  expect(readdirSync(FLOWPOST_DATA_DIR)).not.toContain('encryption.key')
  const copied = await server.restart({ env: { PORT, ...staging, FLOWPOST_DATA_DIR } })
  expect((await copied.request('GET', '/v1/settings/projects')).json.data).toHaveLength(1)
  await copied.stop()
})
