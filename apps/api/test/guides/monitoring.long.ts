import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { blocksOf, readFromRepository, readGuide, variablesOf } from '../support/guide-pages.ts'
import { openGuideTerminal } from '../support/guide-terminal.ts'
import { startOtlpReceiver } from '../support/otlp-receiver.ts'
import { startTestServer } from '../support/test-server.ts'

afterEach(() => void vi.unstubAllEnvs())

const isInstalled = (program: string) => spawnSync(program, ['--version']).status === 0
const blocks = blocksOf('monitoring')
const commands = blocks.filter(({ language }) => language === 'sh').map(({ code }) => code)
const [readMetrics = '', copyAlerts = '', checkConfig = '', send = ''] = commands

it('monitoring.md lists the alerts with their severity and their delay', () => {
  const rules = readFromRepository('ops/prometheus/alerts.yml')
  const defined = [...rules.matchAll(/- alert: (\w+)[\s\S]*?for: (\w+)\n\s+labels: \{ severity: (\w+) \}/g)]
  const listed = [...readGuide('monitoring').matchAll(/^\| `(Flowpost\w+)` \| (\w+) \| (.+) \| (\w+) \|$/gm)]
  expect(listed.map(([, name, severity, , delay]) => [name, severity, delay])).toEqual(
    defined.map(([, name, delay, severity]) => [name, severity, delay]),
  )
})

it('monitoring.md names only panels that are on the dashboard', () => {
  const titles = [...readFromRepository('ops/grafana/flowpost.json').matchAll(/"title": "([^"]+)"/g)].map(([, title]) => title)
  const rows = readGuide('monitoring').matchAll(/^\| [^|]+\? \| "([^"]+)", `\w+` \|/gm)
  const named = [...rows].map(([, title]) => title)
  expect(named).toHaveLength(6)
  for (const title of named) expect(titles).toContain(title)
})

it.skipIf(!isInstalled('curl'))('monitoring.md shows a message in the metrics, the log and a trace', async () => {
  const starts = blocks.filter(({ language }) => language === '').map((block) => variablesOf(block))
  expect(starts).toEqual([{}, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }])
  expect(commands).toHaveLength(4)
  await using collector = await startOtlpReceiver()
  // OpenTelemetry reads the environment of this process, not the server's `env`.
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url)
  await using server = await startTestServer({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, FLOWPOST_CAPTURE: 'missing' } })
  await using terminal = openGuideTerminal(server)
  await expect.poll(() => terminal.run(readMetrics)).toEqual({ code: 0, output: 'flowpost_ready 1\n' })

  // This server logs to memory, so the commands that read the log file run after the test has written it.
  const firstRead = send.indexOf('\ngrep ')
  const [create, read] = [send.slice(0, firstRead), send.slice(firstRead)]
  expect((await terminal.run(create)).output).toContain('"status":"sent"')
  await expect.poll(() => server.logged.join('')).toContain('Delivery captured.')
  writeFileSync(join(terminal.folder, 'flowpost.log'), server.logged.join(''))
  // The output may contain warnings, which a busy machine causes.
  const { code, output } = await terminal.run(read)
  expect(code).toBe(0)
  expect(output).toContain('"msg":"Notification accepted."')
  expect(output).toContain('"msg":"Delivery captured."')
  expect(output).toMatch(/No warnings\.\n$|"level":"warn"/)

  await server.stop()
  const spans = collector.spans.map(({ name }) => name)
  for (const name of ['POST /v1/notifications', 'send deliveries', 'wait deliveries', 'process deliveries']) expect(spans).toContain(name)
})

it.skipIf(!isInstalled('promtool'))('monitoring.md has a configuration that Prometheus accepts', async () => {
  await using server = await startTestServer()
  await using terminal = openGuideTerminal(server)
  writeFileSync(join(terminal.folder, 'prometheus.yml'), blocks.find(({ language }) => language === 'yaml')?.code ?? '')
  expect(await terminal.run(copyAlerts)).toMatchObject({ code: 0 })
  const rules = readFromRepository('ops/prometheus/alerts.yml').match(/- (?:alert|record): /g)?.length
  expect(await terminal.run(checkConfig)).toMatchObject({ code: 0, output: expect.stringContaining(`${rules} rules found`) })
})
