import { describe, expect, it } from 'vitest'
import { compare } from '../result.ts'
import type { Churn, ChurnSample } from './churn.ts'
import { pagesOf } from './explain.ts'
import { churnSection, sizesSection } from './sections.ts'
import type { TableSize } from './table-sizes.ts'

const machine = { cpu: 'A CPU', cores: 2, memoryGiB: 24, system: 'Linux 6', node: '24.21.0', postgres: '15.20', loadBefore: 0.1 }
const startedAt = '2026-11-21T07:00:00.000Z'
const mebibyte = 2 ** 20

const jobs = (mebibytes: number): TableSize => ({
  name: 'job_common',
  tableBytes: mebibytes * mebibyte,
  indexBytes: 2 * mebibytes * mebibyte,
  live: 100,
  dead: 900,
  updates: 200,
  hotUpdates: 50,
  vacuums: 7,
})

/** Returns the cells of the row with this title. */
const row = (text: string, title: string) =>
  text
    .split('\n')
    .find((line) => line.startsWith(`| ${title} `))
    ?.split('|')
    .map((cell) => cell.trim())
    .slice(1, -1)

const plan = (pages: number) => ({ title: 'A flow', lines: [], pages })

it('counts the pages of a plan, from memory and from disk', () => {
  const lines = (buffers: string) => [
    'Limit (actual rows=1 loops=1)',
    `  Buffers: shared ${buffers}`,
    '  ->  Index Scan',
    '        Buffers: shared hit=1',
  ]
  expect(['hit=104', 'read=3', 'hit=12 read=3 dirtied=2'].map((buffers) => pagesOf(lines(buffers)))).toEqual([104, 3, 15])
  expect(pagesOf(['Result (actual rows=1 loops=1)'])).toBe(0)
})

describe('the section on a full log', () => {
  it('shows the sizes and the missed goals', () => {
    const goal = { atLeast: 1 / 1.5 }
    const head = (title: string) => ({ id: title, title, unit: 'requests/s', baseline: 'empty', subject: 'full', goal })
    const comparisons = [compare(head('List'), [100], [90]), compare(head('Claim'), [100], [60])]
    const text = sizesSection(
      { startedAt, machine, rounds: 5, measuredMs: 2000, comparisons, figures: [] },
      { projects: 1_000_000, notifications: 10_000_000 },
      { empty: [plan(2)], full: [plan(4)] },
    )
    expect(row(text, 'A flow')).toEqual(['A flow', '2', '4'])
    expect(text).toContain('1,000,000 projects and 10,000,000 notifications. 2026-11-21, A CPU')
    expect(row(text, 'List, full')?.slice(-3)).toEqual(['0.90 (0.90 to 0.90)', 'at least 0.67', 'met'])
    expect(row(text, 'Claim, full')?.at(-1)).toBe('**missed**')
  })
})

describe('the section on churn', () => {
  const samples: ChurnSample[] = Array.from({ length: 36 }, (_, index) => ({
    hour: index + 1,
    waiting: 0,
    perSecond: index < 12 ? 1000 : 500,
    tables: [jobs(index + 1)],
  }))
  const churn: Churn = { notifications: 1_000_000, tookMs: 600_000, samples, rebuilt: [jobs(3)] }
  const text = churnSection(churn, { startedAt, machine })

  it('shows the growth, the dead rows and the rebuilt size of each table', () => {
    expect(row(text, 'job_common')).toEqual([
      'job_common',
      '6 + 12',
      '12 + 24',
      '18 + 36',
      '24 + 48',
      '30 + 60',
      '36 + 72',
      '900 of 1,000',
      '3 + 6',
      '25 %',
      '7',
    ])
  })

  it('shows the acceptance rates of the first and the last third', () => {
    expect(text).toContain('1,000,000 notifications in 36 hours, simulated in 10 minutes')
    expect(text).toContain('Accepted per second: 1,000 in the first third, 500 in the last.')
  })
})
