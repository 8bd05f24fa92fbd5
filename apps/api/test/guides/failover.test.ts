import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { blocksOf, readFromRepository, readGuide } from '../support/guide-pages.ts'
import { openGuideTerminal } from '../support/guide-terminal.ts'
import { startTestServer } from '../support/test-server.ts'

// `apps/api/test/failover/guide.soak.ts` follows the guide with a real cluster.
const guide = readGuide('failover')
const blocks = blocksOf('failover')
const haFolder = resolve(import.meta.dirname, '../../../../ops/ha')
const find = (text: string) => blocks.find(({ code }) => code.includes(text))?.code ?? ''
const hasHaproxy = spawnSync('haproxy', ['-v'], { env: { PATH: `${process.env['PATH']}:/usr/sbin` } }).status === 0

it('failover.md names the settings of ops/ha', () => {
  const patroni = readFromRepository('ops/ha/patroni.yml')
  expect([guide, patroni]).toEqual([expect.stringContaining('`ttl` (20 s)'), expect.stringContaining('\n    ttl: 20\n')])
  expect([guide, patroni]).toEqual([expect.stringContaining('waits at most 7 s'), expect.stringContaining('\n    retry_timeout: 7\n')])
  const proxy = readFromRepository('ops/ha/haproxy.cfg')
  const exported = [...find('haproxy -f').matchAll(/(FLOWPOST_DB_\w+)=/g)].map(([, name]) => name)
  expect(exported.toSorted()).toEqual([...proxy.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name).toSorted())
})

it('HAProxy keeps the connection of a migration whose statement runs for hours', () => {
  const proxy = readFromRepository('ops/ha/haproxy.cfg')
  for (const side of ['client', 'server']) {
    const [, hours] = new RegExp(`^ +timeout ${side} (\\d+)h$`, 'm').exec(proxy) ?? []
    expect(Number(hours)).toBeGreaterThanOrEqual(24)
    expect(readFromRepository('ops/ha/README.md')).toMatch(new RegExp(`^\\| HAProxy: .*\`timeout ${side}\`.* \\| ${hours} h \\|`, 'm'))
  }
})

it('failover.md starts Flowpost with a valid URL', () => {
  const [, DATABASE_URL = ''] = /DATABASE_URL=(\S+)/.exec(find('npx pnpm start')) ?? []
  expect(readConfig({ DATABASE_URL }).config.databaseUrl).toBe(DATABASE_URL)
})

it.skipIf(!hasHaproxy)('failover.md starts HAProxy with a configuration that HAProxy accepts', () => {
  const commands = find('haproxy -f').replace('haproxy -f', 'haproxy -c -f')
  const env = { PATH: `${process.env['PATH']}:/usr/sbin` }
  const { status, stderr, stdout } = spawnSync('sh', ['-euc', commands], { cwd: haFolder, env, encoding: 'utf8' })
  expect(status, stderr + stdout).toBe(0)
})

const canRun = inject('postgres') !== null && spawnSync('psql', ['--version']).status === 0
describe.skipIf(!canRun)('with PostgreSQL (needs TEST_DATABASE_URL and psql)', () => {
  it('failover.md shows whether commits wait for a standby', async () => {
    await using server = await startTestServer()
    await using terminal = openGuideTerminal(server)
    const { code, output } = await terminal.run(find('show synchronous_standby_names'))
    expect([code, output.split('\n').length]).toEqual([0, 3])
  })
})
