import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from './support/test-server.ts'

const root = new URL('../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const rules = read('ops/prometheus/alerts.yml')
const ruleTests = read('ops/prometheus/alerts.test.yml')
const telemetry = read('docs/operate/telemetry.md')
const runbooks = read('docs/operate/alerts.md')
const dashboard: unknown = JSON.parse(read('ops/grafana/flowpost.json'))

const all = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, match = '']) => match)
const unique = (names: readonly string[]): string[] => [...new Set(names)].sort()

/** Returns the dashboard's expressions, at any depth. */
const expressionsIn = (value: unknown): string[] => {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) => (key === 'expr' ? [String(child)] : expressionsIn(child)))
}

const alerts = all(rules, /- alert: (\w+)/g)
const recorded = all(rules, /- record: (\S+)/g)
// The text of comments and annotations is not part of an expression.
const ruleExpressions = rules.replaceAll(/^ *(?:#|summary:|runbook:).*$/gm, '')
const usedMetrics = unique(
  all([ruleExpressions, ...expressionsIn(dashboard)].join('\n'), /\b((?:flowpost|http|process|nodejs)_[a-z0-9_]+)\b(?!-)/g),
)

let server: TestServer
let exported: { readonly names: readonly string[]; readonly text: string }
beforeAll(async () => {
  server = await startTestServer()
  const { text } = await server.request('GET', '/metrics', { key: null })
  exported = { text, names: all(text, /^# TYPE (\S+)/gm) }
})
afterAll(() => server[Symbol.asyncDispose]())

describe('the dashboard and the rules', () => {
  it('use only metrics that a server exports', () => {
    const withSuffixes = exported.names.flatMap((name) => [name, `${name}_bucket`, `${name}_count`, `${name}_sum`])
    expect(usedMetrics.length).toBeGreaterThan(15)
    expect(usedMetrics.filter((name) => !withSuffixes.includes(name))).toEqual([])
  })

  it('use every metric about deliveries, the queue and the database', () => {
    const isUsed = (name: string) => usedMetrics.some((used) => used.replace(/_(?:bucket|count|sum)$/, '') === name)
    expect(exported.names.filter((name) => name.startsWith('flowpost_') && !isUsed(name))).toEqual([])
  })

  it('use only recorded series that the rules define', () => {
    expect(unique(all(ruleExpressions, /expr: .*?(flowpost:\w+:\w+)/g)).filter((name) => !recorded.includes(name))).toEqual([])
  })

  it('use only buckets that the latency histogram has', () => {
    const text = [ruleExpressions, ...expressionsIn(dashboard)].join('\n')
    // Prometheus 3 stores le="30" as le="30.0", so each matcher accepts both.
    const bounds = unique(all(text, /\ble=~"(\d+)\|\1\[\.\]0"/g))
    expect(text).not.toMatch(/\ble="/)
    expect(bounds).toEqual(['30'])
    for (const bound of bounds) expect(exported.text).toContain(`flowpost_delivery_latency_seconds_bucket{le="${bound}",`)
  })

  it('use label values that a server exports', () => {
    for (const state of ['due', 'waiting', 'scheduled']) expect(exported.text).toContain(`\nflowpost_queue_jobs{state="${state}"} `)
    expect(exported.text).toContain('flowpost_delivery_attempts_total{source_type="smtp",outcome="retrying"} ')
    for (const status of ['failed', 'ambiguous'])
      expect(exported.text).toContain(`flowpost_deliveries_settled_total{source_type="smtp",status="${status}",`)
  })
})

describe('the documentation', () => {
  it('documents exactly the exported Flowpost and request metrics', () => {
    const documented = all(telemetry, /^\| `((?:flowpost|http)_\w+)` \|/gm)
    expect(documented.toSorted()).toEqual(exported.names.filter((name) => /^(?:flowpost|http)_/.test(name)).toSorted())
  })

  it('documents the type and the labels of each metric', () => {
    for (const name of exported.names.filter((exportedName) => exportedName.startsWith('flowpost_'))) {
      const [, type] = new RegExp(`^# TYPE ${name} (\\w+)$`, 'm').exec(exported.text) ?? []
      const [, documentedType, cell = ''] = new RegExp(`^\\| \`${name}\` \\| (\\w+) \\| ([^|]*)\\|`, 'm').exec(telemetry) ?? []
      expect(documentedType, name).toBe(type)
      const [, labels] = new RegExp(`^${name}(?:_bucket)?\\{(.*)\\} `, 'm').exec(exported.text) ?? []
      // The pool metrics have no values with the embedded database.
      const isAbsent = !new RegExp(`^${name}(?:_bucket)?[ {]`, 'm').test(exported.text)
      if (!isAbsent)
        expect(all(cell, /`(\w+)`/g).toSorted(), name).toEqual(
          all(labels ?? '', /(\w+)="/g)
            .filter((label) => label !== 'le')
            .toSorted(),
        )
    }
  })

  it('has a runbook section for every alert, and no other sections', () => {
    const anchors = all(rules, /runbook: docs\/operate\/alerts\.md#(\S+)/g)
    expect(anchors).toHaveLength(alerts.length)
    expect(anchors).toEqual(
      alerts.map((alert) =>
        alert
          .replace('Flowpost', '')
          .replaceAll(/(?<!^)[A-Z]/g, '-$&')
          .toLowerCase(),
      ),
    )
    const sections = all(runbooks, /^## (.+)\n\n`Flowpost\w+`/gm).map((title) => title.toLowerCase().replaceAll(' ', '-'))
    expect(sections).toEqual(anchors)
    expect(all(runbooks, /^`(Flowpost\w+)`: /gm)).toEqual(alerts)
  })
})

describe('the alert tests', () => {
  it.each(alerts)('include a test in which %s fires, and one in which it does not', (alert) => {
    const checks = ruleTests.split(/(?=- eval_time: )/).filter((check) => new RegExp(`alertname: ${alert}\\n`).test(check))
    expect(checks.some((check) => check.includes('exp_labels'))).toBe(true)
    expect(checks.some((check) => check.includes('exp_alerts: []'))).toBe(true)
  })
})

const promtool = (...args: string[]) => spawnSync('promtool', args, { cwd: new URL('ops/prometheus/', root), encoding: 'utf8' })
const isInstalled = promtool('--version').status === 0

describe.skipIf(!isInstalled)('promtool (needs promtool, from the Debian package prometheus)', () => {
  it.each([
    ['check', 'rules', '--lint=all', '--lint-fatal', 'alerts.yml'],
    ['test', 'rules', 'alerts.test.yml'],
  ])('%s %s succeeds', (...args) => {
    const { status, stdout, stderr } = promtool(...args)
    expect(status, stdout + stderr).toBe(0)
  })

  it('accepts every expression on the dashboard', () => {
    const expressions = expressionsIn(dashboard).map((expression) => expression.replaceAll(/\$__(?:rate_interval|range)/g, '5m'))
    const groups = expressions.map((expr, index) => ({ record: `panel:${index}`, expr }))
    const rulesOfPanels = JSON.stringify({ groups: [{ name: 'dashboard', rules: groups }] })
    const folder = mkdtempSync(join(tmpdir(), 'flowpost-dashboard-'))
    try {
      writeFileSync(join(folder, 'rules.json'), rulesOfPanels)
      const { status, stdout, stderr } = promtool('check', 'rules', join(folder, 'rules.json'))
      expect(status, stdout + stderr).toBe(0)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
