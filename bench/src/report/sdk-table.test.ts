import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isMet } from '../result.ts'
import { type SdkResult, sdkComparisons } from '../sdk/sdk-result.ts'
import { withSection } from './page.ts'
import { type SdkReport, sdkSection } from './sdk-table.ts'

const sdk = (name: string, cpuUs: number, transport: SdkResult['transport'] = 'fetch'): SdkResult => {
  const costs = { cpuUs: [cpuUs, cpuUs, cpuUs], wallUs: [2 * cpuUs, 2 * cpuUs, 2 * cpuUs] }
  return {
    name,
    version: '1.2.3',
    transport,
    oneAtATime: costs,
    concurrent: costs,
    bundleBytes: 6_492,
    installedMebibytes: 1.234,
    importMs: [10, 12, 11],
  }
}

const results = [sdk('fetch', 100), sdk('flowpost', 108), sdk('slow', 150), sdk('quick', 105), sdk('other', 50, 'node:http')]
const report: SdkReport = {
  startedAt: '2026-11-21T07:00:00.000Z',
  machine: { cpu: 'A CPU', cores: 2, memoryGiB: 24, system: 'Linux 6', node: '24.21.0', postgres: null, loadBefore: 0.1 },
  rounds: 3,
  measuredMs: 1000 / 3,
  results,
}

const cells = (text: string, name: string) =>
  text
    .split('\n')
    .filter((line) => line.startsWith(`| ${name} `))
    .map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim())
        .slice(2, -1),
    )

describe('the comparison of SDKs', () => {
  const text = sdkSection(report)

  it('shows processor and elapsed time with their ratios to fetch', () => {
    const costs = ['`fetch`', '108 µs', '1.08 (1.08 to 1.08)', '216 µs', '1.08 (1.08 to 1.08)']
    expect(cells(text, 'flowpost 1.2.3').slice(0, 2)).toEqual([costs, costs])
    expect(cells(text, 'bare `fetch`')[0]).toEqual(['`fetch`', '100 µs', '1', '200 µs', '1'])
  })

  it('shows the sizes and the import', () => {
    expect(cells(text, 'flowpost 1.2.3')[2]).toEqual(['6.49 kB', '1.23 MiB', '11 ms (10.5 to 11.5)'])
  })

  it('describes the machine without a database', () => {
    expect(text).toMatch(/^2026-11-21, A CPU, .*, Node 24\.21\.0; 3 rounds of 0\.333 s per measurement\.$/m)
  })

  it('compares the client with fetch and with the fastest other SDK that uses fetch', () => {
    const comparisons = sdkComparisons(results)
    expect(comparisons.map(({ baseline, goal }) => [baseline.name, goal?.atMost])).toEqual([
      ['bare fetch', 1.1],
      ['quick, the fastest other SDK that uses fetch', 1],
      ['bare fetch', 1.1],
      ['quick, the fastest other SDK that uses fetch', 1],
    ])
    expect(comparisons.map(isMet)).toEqual([true, false, true, false])
  })

  it('compares the client with fetch alone where no other SDK is installed', () => {
    expect(sdkComparisons(results.slice(0, 2)).map(({ baseline }) => baseline.name)).toEqual(['bare fetch', 'bare fetch'])
  })
})

const resultsFile = new URL('../../results/sdks.json', import.meta.url)

it.runIf(existsSync(resultsFile))('docs/performance.md matches the last comparison of SDKs', () => {
  const page = readFileSync(new URL('../../../docs/performance.md', import.meta.url), 'utf8')
  expect(withSection(page, 'sdks', sdkSection(JSON.parse(readFileSync(resultsFile, 'utf8')) as SdkReport))).toBe(page)
})
