import { spawnSync } from 'node:child_process'
import { describe, expect, inject, it } from 'vitest'
import { blocksOf, readFromRepository, readGuide } from '../support/guide-pages.ts'
import { openGuideTerminal } from '../support/guide-terminal.ts'
import { startTestServer } from '../support/test-server.ts'

const guide = readGuide('sizing')

it('sizing.md shows the same numbers as performance.md', () => {
  const performance = readFromRepository('docs/performance.md')
  const [, table = ''] = /\n\| \| Measured \| Limited by \|\n([\s\S]*?)\n\n/.exec(guide) ?? []
  const cells = table
    .split('\n')
    .slice(1)
    .filter((row) => !row.includes('chat channel'))
    .map((row) => row.split('|')[2] ?? '')
  const numbers = cells.flatMap((cell) => cell.match(/\d[\d,.]*\d/g) ?? [])
  expect(numbers).toEqual(['9,376', '94.8', '4,603', '3,659', '8,046', '2,708', '122', '319', '401', '614'])
  for (const number of numbers) expect(performance).toContain(` ${number} `)
})

it('sizing.md uses only options and groups that the benchmark has', () => {
  const usage = readFromRepository('bench/src/options.ts')
  const [, groups = ''] = /out of ([\s\S]*?)\. Such a run/.exec(usage) ?? []
  const commands = [...guide.matchAll(/npx pnpm bench (.+)$/gm)].map(([, options = '']) => options)
  expect(commands).toHaveLength(2)
  for (const options of commands) {
    for (const option of options.match(/--\w+/g) ?? []) expect(usage).toContain(`  ${option} `)
    for (const group of /--only (\S+)/.exec(options)?.[1]?.split(',') ?? []) expect(groups.split(/,\s+| and /)).toContain(group)
  }
})

it("sizing.md counts a process's connections correctly", () => {
  const poolSize = Number(/const poolSize = (\d+)/.exec(readFromRepository('apps/api/src/open-database.ts'))?.[1])
  expect(guide).toContain(`opens up to ${poolSize + 1} connections: a pool of ${poolSize}, and one for \`LISTEN\``)
})

const canRun = inject('postgres') !== null && spawnSync('psql', ['--version']).status === 0
describe.skipIf(!canRun)('with PostgreSQL (needs TEST_DATABASE_URL and psql)', () => {
  it('sizing.md shows the connections and the size of a database', async () => {
    await using server = await startTestServer()
    await using terminal = openGuideTerminal(server)
    const [connections, size, ...others] = blocksOf('sizing').filter(({ language }) => language === 'sh')
    expect(others).toEqual([])
    expect(await terminal.run(connections?.code ?? '')).toEqual({ code: 0, output: expect.stringMatching(/^\d+\n\d+\n$/) })
    expect(await terminal.run(size?.code ?? '')).toEqual({ code: 0, output: expect.stringMatching(/^\d+ kB\n-?\d+\n$/) })
  })
})
