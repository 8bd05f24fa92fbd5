import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { formatLogLine } from '../src/dev/server-log.ts'
import { printConsequences } from '../src/settings/print-consequences.ts'
import { createMachine } from './support/run-cli.ts'

// Clears the screen, reverses the text direction, and changes the terminal's title.
const hostile = '\u001b[2J\u061c\u001b]0;owned\u0007'
const unsafe = /(?!\n)[\p{Cc}\p{Bidi_Control}]/u

const feed = {
  data: [{ id: `evt_${hostile}`, type: 'delivery.sent', created_at: '2026-11-23T09:00:00.000Z', data: {} }],
  cursor: `x${hostile}`,
}
const project = { id: `prj_${hostile}`, key: null, name: 'Billing' }
const flow = { flow_id: 'flw_1', source_type: 'smtp', outcome: `other${hostile}`, reason: hostile, targets: [], faults: [], content: null }

/** Starts a server that returns the given responses or problems by method and path, and a machine that uses it. */
const startHostileServer = async (responses: Readonly<Record<string, object>>) => {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0]
    const body = responses[`${request.method} ${path}`]
    const success = request.method === 'POST' ? 201 : 200
    response.writeHead(body ? ((body as { status?: number }).status ?? success) : 500, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body ?? {}))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, ...createMachine({ FLOWPOST_BASE_URL: url, FLOWPOST_API_KEY: `fp_${'a'.repeat(40)}` }) }
}

const noProjects = { 'GET /v1/settings/projects': { data: [], next_cursor: null } }

it('prints the position in the feed without control characters', async () => {
  const { run } = await startHostileServer({ ...noProjects, 'GET /v1/events': feed })
  const { code, stdout, stderr } = await run(['events', 'tail', '--limit', '1'])
  expect([code, stderr]).toEqual([0, expect.stringContaining('To continue from here: --cursor x�[2J')])
  expect(stdout + stderr).not.toMatch(unsafe)
})

it('prints the id of a skipped event without control characters', async () => {
  const { run, url } = await startHostileServer({ ...noProjects, 'GET /v1/events': feed })
  const receiver = `${url}/failing`
  const { code, stdout, stderr } = await run([
    ...['events', 'listen', '--forward', receiver, '--retry-for', '0s', '--since', '2020-01-01', '--limit', '1'],
  ])
  expect([code, stderr]).toEqual([1, expect.stringMatching(/evt_.* was not accepted, so it is skipped\./)])
  expect(stdout + stderr).not.toMatch(unsafe)
})

it('prints the id of a created endpoint without control characters', async () => {
  const { run } = await startHostileServer({
    'GET /v1/events': feed,
    'GET /v1/settings/projects/prj_1/event-endpoints': { data: [], next_cursor: null },
    'POST /v1/settings/projects/prj_1/event-endpoints': { id: `epw_${hostile}` },
  })
  const { code, stdout, stderr } = await run(['events', 'tail', '--store', '--project', 'prj_1', '--limit', '1'])
  expect([code, stderr]).toEqual([0, expect.stringContaining('Created the event endpoint epw_')])
  expect(stdout + stderr).not.toMatch(unsafe)
})

it('prints the outcome of a previewed flow without control characters', async () => {
  const { run } = await startHostileServer({
    'POST /v1/notifications/preview': { flows: [flow] },
  })
  const { stdout, stderr } = await run(['preview', 'text', '--subject', 's', '--project', 'prj_1'])
  expect(stdout).toContain('flw_1')
  expect(stdout + stderr).not.toMatch(unsafe)
})

it('lists projects to choose from without control characters', async () => {
  const { run } = await startHostileServer({ 'GET /v1/settings/projects': { data: [project, project], next_cursor: null } })
  const { code, stderr } = await run(['events', 'tail', '--project', 'Billing'])
  expect([code, stderr]).toEqual([1, expect.stringContaining('Several projects have the key or name Billing.')])
  expect(stderr).not.toMatch(unsafe)
})

it('prints the issues of a rejected request without control characters', async () => {
  const issue = { in: 'body', pointer: `/${hostile}`, code: 'invalid_value', message: hostile }
  const problem = { status: 422, code: 'validation_failed', detail: 'The request is not valid.', errors: [issue] }
  const { run } = await startHostileServer({ 'POST /v1/notifications/preview': problem })
  const { code, stderr } = await run(['preview', 'text', '--subject', 's', '--project', 'prj_1'])
  expect([code, stderr]).toEqual([1, expect.stringContaining('\n  body /')])
  expect(stderr).not.toMatch(unsafe)
})

it('prints counts without control characters', () => {
  const lines: string[] = []
  const nothing = { notifications: 0, notification_id: null }
  const effects = { deliveries: [], rejected: [], without_flow: nothing, changed_messages: nothing, changed_targets: nothing }
  const consequences = { examined: hostile, not_examined: 0, since: '2026-11-23T09:00:00.000Z', complete: true, ...effects }
  printConsequences({ print: (line = '') => void lines.push(line) }, consequences as never)
  expect(lines).toEqual([expect.stringContaining('No consequences for NaN')])
})

it('prints the level of a log line without control characters', () => {
  expect(formatLogLine(JSON.stringify({ level: hostile, msg: 'm' }), (_, text) => text)).not.toMatch(unsafe)
})
