import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const rulesFile = new URL('../../../../ops/prometheus/alerts.yml', import.meta.url)

/** The names of all alerts in `ops/prometheus/alerts.yml`. */
export const alertNames: readonly string[] = [...readFileSync(rulesFile, 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name)

/** The values of Flowpost's series on a `/metrics` page, keyed by name and labels. */
type Samples = ReadonlyMap<string, number>

const readSamples = (page: string): Samples =>
  new Map([...page.matchAll(/^(flowpost_\w+(?:\{[^}]*\})?) (\S+)$/gm)].map(([, series = '', value = '']) => [series, Number(value)]))

const readCounters = (page: string): readonly string[] =>
  [...page.matchAll(/^# TYPE (flowpost_\w+) (counter|histogram)$/gm)].flatMap(([, name = '', type]) =>
    type === 'counter' ? [name] : [`${name}_bucket`, `${name}_count`, `${name}_sum`],
  )

// 40 minutes of values, one every 30 seconds. Every alert fires within half an hour.
const intervals = 80

/**
 * Returns the series for promtool, with the values of 40 minutes. In each interval, a counter grows by the difference between
 * `before` and `after`. A gauge keeps its value from `after`.
 */
const inputSeries = (before: Samples, after: Samples, counters: readonly string[]) =>
  [...after].map(([series, value]) => {
    const [name = '', labels = '}'] = series.split('{')
    const growth = counters.includes(name) ? value - (before.get(series) ?? 0) : 0
    return { series: `${name}{instance="a",${labels}`, values: `${value - growth}${growth < 0 ? '' : '+'}${growth}x${intervals}` }
  })

/** Returns whether promtool is installed. It is part of the Debian package `prometheus`. */
export const isPromtoolInstalled = (): boolean => spawnSync('promtool', ['--version']).status === 0

/**
 * Returns the alerts that fire if the change between two pages of `/metrics` repeats every 30 seconds for 40 minutes. promtool
 * evaluates the rules. An empty page means that the process cannot be scraped.
 */
export const readFiringAlerts = (before: string, after: string): string[] => {
  const expectations = alertNames.map((name) => ({
    expr: `count(ALERTS{alertname="${name}",alertstate="firing"}) > bool 0`,
    eval_time: '40m',
    exp_samples: [],
  }))
  const input = {
    interval: '30s',
    input_series: inputSeries(readSamples(before), readSamples(after), readCounters(after)),
    promql_expr_test: expectations,
  }
  const folder = mkdtempSync(join(tmpdir(), 'flowpost-alerts-'))
  try {
    writeFileSync(join(folder, 'alerts.yml'), readFileSync(rulesFile))
    writeFileSync(join(folder, 'test.json'), JSON.stringify({ rule_files: ['alerts.yml'], evaluation_interval: '30s', tests: [input] }))
    const { stdout, stderr } = spawnSync('promtool', ['test', 'rules', 'test.json'], { cwd: folder, encoding: 'utf8' })
    const printed = stdout + stderr
    // The test expects that no alert fires, so promtool prints the expression of each alert that does. Any other failure is an
    // error.
    const firing = alertNames.filter(
      (name) => printed.includes(`ALERTS{alertname=\\"${name}\\"`) || printed.includes(`ALERTS{alertname="${name}"`),
    )
    if (firing.length === 0 && !printed.includes('SUCCESS')) throw new Error(printed)
    return firing
  } finally {
    rmSync(folder, { recursive: true })
  }
}
