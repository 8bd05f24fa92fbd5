import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { blocksOf, variablesOf } from '../support/guide-pages.ts'
import { openGuideTerminal } from '../support/guide-terminal.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { startTestServer } from '../support/test-server.ts'

const isInstalled = (...programs: string[]) => programs.every((program) => spawnSync(program, ['--version']).status === 0)

it.skipIf(!isInstalled('curl', 'pg_dump', 'pg_restore'))(
  'backup.md restores a backup, and cancels the message that was unfinished at backup time',
  async () => {
    const blocks = blocksOf('backup')
    const commands = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code)
    const starts = blocks.filter(({ language }) => language === '')
    const [restart, decide, staging, ...others] = starts.map((block) => variablesOf(block))
    expect([restart, others]).toEqual([{}, []])
    expect(readConfig({ ...staging }).config).toMatchObject({ afterRestore: 'cancel', capture: 'on' })

    await using server = await startTestServer({ env: { FLOWPOST_CAPTURE: 'missing' }, database: await createTestDatabase() })
    const PORT = new URL(server.url).port
    await using terminal = openGuideTerminal(server)
    const [backUp = '', restore = '', readOnHold = '', readDecision = '', schedule = ''] = commands
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

    const folder = join(terminal.folder, 'scheduled')
    mkdirSync(folder)
    const scheduled = schedule.replaceAll('/backups', folder).replace('/srv/flowpost', resolve(import.meta.dirname, '../..'))
    expect(await terminal.run(`(${scheduled})`)).toMatchObject({ code: 0 })
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^flowpost-\d{4}-\d\d-\d\dT\d{4}$/)])
    await deciding.stop()
  },
)
