import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type BenchResult, compare } from '../result.ts'
import { formatNumber } from './format-number.ts'
import { results, withResults, withSection } from './page.ts'
import { plot } from './plot.ts'

const head = { unit: 'requests/s', baseline: 'bare <node:http>', subject: 'Flowpost' }
const fast = compare({ ...head, id: 'fast', title: 'Fast', goal: { atLeast: 1.1 } }, [1000, 1000, 1000], [1200, 1300, 1250])
const slow = compare({ ...head, id: 'slow', title: 'Slow', goal: { atLeast: 0.7 } }, [1000], [500])
const slower = compare({ ...head, id: 'slower', title: 'Waiting', unit: 'ms', goal: { atMost: 1.25 } }, [0.5], [8])
const late = compare(
  { id: 'late', title: 'Late', unit: 'ms', kind: 'difference', baseline: 'exchange', subject: 'Flowpost', goal: { atMost: 50 } },
  [2],
  [12.345],
)
const open = compare({ ...head, id: 'open', title: 'Open', goal: { atLeast: 1.7 }, notJudged: 'two cores' }, [1], [1])

const result: BenchResult = {
  startedAt: '2026-11-21T07:00:00.000Z',
  machine: { cpu: 'A CPU', cores: 2, memoryGiB: 24, system: 'Linux 6', node: '24.21.0', postgres: '15.20', loadBefore: 0.1 },
  rounds: 3,
  measuredMs: 2500,
  comparisons: [fast, slow, slower, late, open],
  figures: [{ title: 'Memory when idle', unit: 'MiB', value: 191.4 }],
}

/** Returns the cells of the row with this title. */
const row = (text: string, title: string) =>
  text
    .split('\n')
    .find((line) => line.startsWith(`| ${title} `))
    ?.split('|')
    .map((cell) => cell.trim())
    .slice(1, -1)

describe('the table', () => {
  const text = results(result)

  it('shows both sides, the ratio with its quartiles, the goal and the verdict', () => {
    expect(row(text, 'Fast')).toEqual([
      'Fast',
      'bare <node:http>',
      '1,000 requests/s',
      '1,250 requests/s',
      '1.25 (1.23 to 1.27)',
      'at least 1.10',
      'met',
    ])
    expect(row(text, 'Slow')?.slice(-2)).toEqual(['at least 0.70', '**missed**'])
    expect(row(text, 'Waiting')?.slice(-3)).toEqual(['16.00 (16.00 to 16.00)', 'at most 1.25', '**missed**'])
  })

  it('shows a difference in its unit', () => {
    expect(row(text, 'Late')?.slice(-3)).toEqual(['+10.3 ms (10.3 to 10.3)', 'at most 50 ms', 'met'])
  })

  it('shows why a goal is not judged', () => {
    expect(row(text, 'Open')?.at(-1)).toBe('not judged: two cores')
  })

  it('describes the machine and the rounds, and warns when the machine was busy', () => {
    expect(text).toContain(
      '2026-11-21, A CPU, 2 cores, 24 GiB, Linux 6, Node 24.21.0, PostgreSQL 15.20; 3 rounds of 2.5 s per measurement.',
    )
    expect(text).not.toContain('busy')
    expect(results({ ...result, machine: { ...result.machine, loadBefore: 3 } })).toContain('busy with other work (load 3 ')
  })

  it('names the Redis server when one was used', () => {
    const machine = { ...result.machine, redis: '7.0.15, in memory only' }
    expect(results({ ...result, machine })).toContain('PostgreSQL 15.20, Redis 7.0.15, in memory only; 3 rounds')
  })

  it('judges figures with a goal and leaves the cells of other figures empty', () => {
    const idle = { title: 'Idle', unit: 'MiB', value: 120.4, goal: { atMost: 150 } }
    const figures = [idle, { ...idle, title: 'Large', value: 150.6 }, { ...idle, title: 'Short', notJudged: 'too short a run' }]
    const judged = results({ ...result, figures: [...figures, ...result.figures] })
    expect(row(judged, 'Idle')).toEqual(['Idle', '120 MiB', 'at most 150 MiB', 'met'])
    expect(row(judged, 'Large')?.at(-1)).toBe('**missed**')
    expect(row(judged, 'Short')?.at(-1)).toBe('not judged: too short a run')
    expect(row(judged, 'Memory when idle')).toEqual(['Memory when idle', '191 MiB', '', ''])
  })

  it('shows figures with three significant digits', () => {
    expect(row(text, 'Memory when idle')).toEqual(['Memory when idle', '191 MiB'])
    expect([0.01234, 1.2345, 45.678, 12345.6].map(formatNumber)).toEqual(['0.0123', '1.23', '45.7', '12,346'])
  })
})

describe('the plot', () => {
  const svg = plot(result.comparisons)
  const center = (title: string) => {
    const after = svg.slice(svg.indexOf(`>${title}`))
    return Number(/<circle class="[a-z]+" cx="([\d.]+)"/.exec(after)?.[1])
  }

  it('draws a ratio in proportion to the baseline', () => {
    const start = Number(/<line class="grid" x1="([\d.]+)"/.exec(svg)?.[1])
    const baseline = Number(/<line class="baseline" x1="([\d.]+)"/.exec(svg)?.[1])
    expect((center('Fast') - start) / (baseline - start)).toBeCloseTo(1.25, 2)
    expect((center('Slow') - start) / (baseline - start)).toBeCloseTo(0.5, 2)
  })

  it('draws a ratio beyond the scale at its end, with its number', () => {
    expect(center('Waiting')).toBeLessThan(Number(/width="(\d+)"/.exec(svg)?.[1]))
    expect(svg).toContain('>16.00</text>')
  })

  it('distinguishes met, missed and unjudged goals', () => {
    expect(['Fast', 'Slow', 'Open'].map((title) => /<circle class="(\w+)"/.exec(svg.slice(svg.indexOf(`>${title}`)))?.[1])).toEqual([
      'met',
      'missed',
      'reported',
    ])
  })

  it('leaves out differences', () => {
    expect(svg).not.toContain('Late')
  })

  it('escapes text', () => {
    expect(plot([{ ...fast, title: 'a < b & c' }])).toContain('a &lt; b &amp; c')
  })
})

describe('the page', () => {
  const page = 'before\n\n<!-- results: written by `pnpm bench`, do not edit -->\n\nold\n\n<!-- end of results -->\n\nafter\n'

  it('contains the results of the last run in their section', () => {
    const next = withResults(page, result)
    expect(next).toMatch(/^before\n/)
    expect(next).toMatch(/\nafter\n$/)
    expect(next).toContain('1.25 (1.23 to 1.27)')
    expect(next).not.toContain('old')
    expect(withResults(next, result)).toBe(next)
  })

  it('keeps the sections of other commands', () => {
    const two = `${page}<!-- churn: written by \`pnpm bench:scale --churn\`, do not edit -->\n\n<!-- end of churn -->\n`
    expect(withSection(two, 'churn', 'grown')).toBe(two.replace('edit -->\n\n<!-- end of churn', 'edit -->\n\ngrown\n\n<!-- end of churn'))
    expect(withResults(withSection(two, 'churn', 'grown'), result)).toContain('grown')
  })

  it('is rejected without the markers of a section', () => {
    expect(() => withResults('nothing here', result)).toThrow(/no lines/)
  })
})

const resultsFile = new URL('../../results/latest.json', import.meta.url)

it.runIf(existsSync(resultsFile))('docs/performance.md and the plot match the results of the last run', () => {
  const last = JSON.parse(readFileSync(resultsFile, 'utf8')) as BenchResult
  const page = readFileSync(new URL('../../../docs/performance.md', import.meta.url), 'utf8')
  expect(withResults(page, last)).toBe(page)
  expect(readFileSync(new URL('../../results/latest.svg', import.meta.url), 'utf8')).toBe(plot(last.comparisons))
})
