import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { startOtlpReceiver } from '../../../apps/api/test/support/otlp-receiver.ts'
import { startPrivatePostgres } from '../../../apps/api/test/support/private-postgres.ts'
import { leaveOut } from '../left-out.ts'
import { jsonLines, saveBlock, type Walk } from '../walk.ts'

/** Restores a backup, and cancels the messages that were unfinished when the backup was created. */
export const followBackup: Walk = async ({ page, reader }) => {
  expect(await reader.run(page.take('sh'))).toMatch(/\/backups\/first\n$/)
  await reader.server.stop()
  expect(await reader.run(page.take('sh'))).toContain('Restored the backup from ')
  await reader.server.start(page.take(''))
  expect(await reader.run(page.take('sh'))).toBe(page.take('text'))
  await reader.server.start(page.take(''))
  expect(jsonLines(await reader.run(page.take('sh'))).at(-1)).toMatchObject({
    status: 'canceled',
    deliveries: [{ failure: { code: 'restored' } }],
  })
  leaveOut(page, 'backup', 'text')
  expect(await reader.run(page.take('sh'))).toContain('Restored the backup from ')
  await reader.server.start(page.take(''))
  await reader.server.waitForOutput(/^ {2}smtp +captured$/m)
}

/** Finds a message in the metrics, in the log and in a trace. */
export const followMonitoring: Walk = async ({ page, reader }) => {
  expect(await reader.run(page.take('sh'))).toBe('flowpost_ready 1\n')
  await reader.run(page.take('sh'))
  saveBlock(page, 'yaml', reader.repository, 'prometheus.yml')
  if (spawnSync('promtool', ['--version']).status === 0) expect(await reader.run(page.take('sh'))).toContain('SUCCESS')
  else leaveOut(page, 'monitoring', 'sh')

  await reader.server.start(page.take(''))
  const send = page.take('sh')
  expect(await reader.run(send)).toContain('"msg":"Notification accepted."')
  await expect
    .poll(() => readFileSync(join(reader.repository, 'flowpost.log'), 'utf8'), { timeout: 20_000 })
    .toContain('Delivery captured.')

  await using collector = await startOtlpReceiver({ port: 4318 })
  await reader.server.start(page.take(''))
  await reader.run(send.slice(0, send.indexOf('\ngrep ')))
  await reader.server.stop()
  const spans = collector.spans.map(({ name }) => name)
  for (const name of ['POST /v1/notifications', 'send deliveries', 'wait deliveries', 'process deliveries']) expect(spans).toContain(name)
}

/** Runs the upgrade commands on PostgreSQL, without a migration. `upgrading.long.ts` runs them with a migration. */
export const followUpgrading: Walk = async ({ page, reader }) => {
  await using postgres = await startPrivatePostgres()
  await reader.run(`export DATABASE_URL=${postgres.url}\nnpx pnpm migrate`)
  await reader.server.start(page.take(''), { DATABASE_URL: postgres.url })
  expect(await reader.run(page.take('sh'))).toContain('This version can run on the database.\n')
  for (const _ of ['back up', 'migrate']) await reader.run(page.take('sh'))
  expect(await reader.run(page.take('sh'))).toBe('ready\n')
  expect(await reader.run(page.take('sh'))).toMatch(/flowpost_build_info\{version="[\d.]+"\} 1\n$/)
  await reader.server.stop()
}

/** Queries PostgreSQL for its connections and the size of the database, and runs the short benchmark. */
export const followSizing: Walk = async ({ page, reader }) => {
  await reader.server.stop()
  await using postgres = await startPrivatePostgres()
  await reader.run(`export DATABASE_URL=${postgres.url}\nnpx pnpm migrate`)
  expect(await reader.run(page.take('sh'))).toMatch(/^\d+\n\d+\n$/)
  expect(await reader.run(page.take('sh'))).toMatch(/^\d+ kB\n-?\d+\n$/)
  expect(await reader.run(`unset DATABASE_URL\n${page.take('bash')}`)).toContain('start')
  leaveOut(page, 'sizing', 'bash')
}
