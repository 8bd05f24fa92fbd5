import type { BenchResult } from '../result.ts'
import { bareFetch } from '../sdk/packages.ts'
import { type CallCosts, ratioOf, resultOf, type SdkMeasurements, type SdkResult } from '../sdk/sdk-result.ts'
import { spreadOf } from '../statistics.ts'
import { formatNumber, formatRatio } from './format-number.ts'
import { busyText, machineText, table } from './table.ts'

/** The measurements of all SDKs with the conditions of the run. */
export interface SdkReport extends Pick<BenchResult, 'startedAt' | 'machine' | 'rounds'>, SdkMeasurements {}

const nameOf = ({ name, version }: SdkResult): string => (name === bareFetch.name ? 'bare `fetch`' : `${name} ${version}`)

const costCells = (sdk: SdkResult, fetch: SdkResult, load: 'oneAtATime' | 'concurrent'): string[] =>
  (['cpuUs', 'wallUs'] as const satisfies (keyof CallCosts)[]).flatMap((cost) => {
    const { median, low, high } = ratioOf(sdk, fetch, load, cost)
    return [
      `${formatNumber(spreadOf(sdk[load][cost]).median)} µs`,
      sdk === fetch ? '1' : `${formatRatio(median)} (${formatRatio(low)} to ${formatRatio(high)})`,
    ]
  })

const callTable = (sdks: readonly SdkResult[], load: 'oneAtATime' | 'concurrent'): string => {
  const fetch = resultOf(sdks, bareFetch)
  return table([
    ['SDK', 'Transport', 'CPU time', 'Ratio to bare fetch', 'Elapsed time', 'Ratio to bare fetch'],
    ...sdks.map((sdk) => [nameOf(sdk), `\`${sdk.transport}\``, ...costCells(sdk, fetch, load)]),
  ])
}

const sizeTable = (sdks: readonly SdkResult[]): string =>
  table([
    ['SDK', 'Bundle, minified and gzipped', 'Installed', 'Import'],
    ...sdks.map((sdk) => {
      const { median, low, high } = spreadOf(sdk.importMs)
      return [
        nameOf(sdk),
        `${formatNumber(sdk.bundleBytes / 1000)} kB`,
        `${formatNumber(sdk.installedMebibytes)} MiB`,
        `${formatNumber(median)} ms (${formatNumber(low)} to ${formatNumber(high)})`,
      ]
    }),
  ])

/** Compares the SDKs in Markdown: the cost of single calls, the cost of 50 concurrent calls, and the sizes. */
export const sdkSection = (report: SdkReport): string => {
  const { results: sdks, rounds, measuredMs } = report
  return [
    `${machineText(report)}; ${rounds} rounds of ${formatNumber(measuredMs / 1000)} s per measurement.${busyText(report, 'high')}`,
    'One call at a time:',
    callTable(sdks, 'oneAtATime'),
    '50 calls at once:',
    callTable(sdks, 'concurrent'),
    sizeTable(sdks),
  ].join('\n\n')
}
