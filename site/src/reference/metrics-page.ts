import { createMetrics } from '../../../apps/api/src/http/metrics/metrics.ts'
import type { Page } from '../page.ts'
import { readRepositoryFile } from '../repository.ts'
import { joinParts, table } from './markdown.ts'

/** Returns the text of `/metrics` in a process that has just started. */
const scrape = async (): Promise<string> => {
  const { page } = createMetrics({
    version: '0.0.0',
    role: 'all',
    sourceTypes: ['smtp'],
    nowMs: () => 0,
    queueState: async () => ({ due: 0, leased: 0, waiting: 0, scheduled: 0, oldestDueSeconds: 0, maxUserDue: 0, maxUserScheduled: 0 }),
    oldestUnpushedSeconds: async () => 0,
    queueLimit: 1,
    clockSkewSeconds: () => 0,
    isReady: async () => true,
    isOnHold: () => false,
    poolUsage: () => ({ inUse: 0, idle: 0, waiting: 0, limit: 1 }),
  })
  const { text } = await page.render()
  return text
}

/**
 * Returns each metric's labels and the processes that export it, as listed in `docs/operate/telemetry.md`. A test compares
 * that file with a server's metrics.
 */
const documentedMetrics = (): ReadonlyMap<string, readonly [labels: string, exporters: string]> =>
  new Map(
    [...readRepositoryFile('docs/operate/telemetry.md').matchAll(/^\| `(\w+)` \| \w+ \|([^|]*)\|([^|]*)\|/gm)].map(
      ([, name = '', labels = '', exporters = '']) => [name, [labels.trim(), exporters.trim().replace('both', '`api` and `worker`')]],
    ),
  )

/** Generates the reference for the metrics from the server's registry. */
export const createMetricsPage = async (): Promise<Page> => {
  const text = await scrape()
  const documented = documentedMetrics()
  const metrics = [...text.matchAll(/^# HELP (\w+) (.+)\n# TYPE \w+ (\w+)$/gm)].map(([, name = '', help = '', type = '']) => ({
    name,
    help,
    type,
  }))
  const own = metrics.filter(({ name }) => /^(?:flowpost|http)_/.test(name))
  const rest = metrics.filter((metric) => !own.includes(metric))
  const title = 'Metrics'
  return {
    url: '/reference/metrics',
    title,
    markdown: joinParts([
      `# ${title}`,
      'Every process exports metrics in the Prometheus text format at `/metrics`. They contain no user data. [Metrics, logs and traces](/operate/telemetry#metrics) explains how to aggregate them, and [Monitoring](/guides/monitoring) how to use them.',
      '## Flowpost and requests',
      ...own.map(({ name, help, type }) => {
        const entry = documented.get(name)
        if (!entry) throw new Error(`Add the metric ${name} to docs/operate/telemetry.md.`)
        const [labels, exporters] = entry
        const facts = [`Type: ${type}`, ...(labels === '' ? [] : [`labels: ${labels}`]), `exported by: ${exporters}`]
        return `### \`${name}\`\n\n${help}\n\n${facts.join('; ')}.`
      }),
      '## Process',
      'The metrics of Node.js and the operating system, for each process.',
      table(
        ['Metric', 'Type', 'Meaning'],
        rest.map(({ name, help, type }) => [`\`${name}\``, type, help]),
      ),
    ]),
  }
}
