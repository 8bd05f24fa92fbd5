import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createFlowpost } from '@flowpost/client'
import { describe, expect, it } from 'vitest'
import { createFlowpostMock } from '../../src/index.ts'
import { startMockServer } from '../../src/server.ts'
import { conformance, conformanceProcess, script } from './run-cli.ts'

describe('flowpost-conformance', () => {
  it('passes for a conforming server', async () => {
    const mock = createFlowpostMock()
    await using server = await startMockServer(mock)
    const { code, out } = await conformance(['--base-url', server.url, '--api-key', mock.apiKey, '--only', '^projects'])
    expect(out).toContain('skipped  projects.create 201: accepts the same name for two users (requires otherApiKey)')
    expect(out).toMatch(/^\d\d+ passed, 0 failed, \d+ skipped$/m)
    expect(code).toBe(0)
    expect((await mock.client().projects.list()).data).toEqual([])
  })

  it('fails for a server that does not conform', async () => {
    const mock = createFlowpostMock()
    mock.faults.every('projects.get', { status: 503 })
    await using server = await startMockServer(mock)
    const { code, out } = await conformanceProcess(['--base-url', server.url, '--api-key', mock.apiKey, '--only', '^projects.get 304'])
    expect(out).toContain('FAILED   projects.get 304: returns no body while the resource has not changed')
    expect(out).toContain('projects.get must return 200, not 503 unavailable')
    expect(out).toContain('0 passed, 1 failed, 0 skipped')
    expect(code).toBe(1)
  })

  it('fails a scenario at its time limit', async () => {
    const mock = createFlowpostMock({ time: 'manual' })
    mock.faults.every('projects.get', { latencyMs: 1_000 })
    await using server = await startMockServer(mock)
    const args = [
      '--base-url',
      server.url,
      '--api-key',
      mock.apiKey,
      '--timeout',
      '1',
      '--only',
      "^projects.(get 200|update 409: rejects another project's name)",
    ]
    const { code, out } = await conformanceProcess(args)
    expect(out).toContain('projects.get 200: returns a project with its ETag: not finished within 1000 ms.')
    // The other scenario also runs. On a busy machine, it may also reach the limit.
    expect(out).toMatch(/^(?:1 passed, 1|0 passed, 2) failed, 0 skipped$/m)
    expect(code).toBe(1)
  })

  it('lists scenarios and exemptions', async () => {
    const { out } = await conformance(['--list'])
    expect(out).toMatch(/^projects\.create 409 +rejects a name that is already taken$/m)
    expect(out).toMatch(/^notifications\.send 503 +- Only an outage, a full queue/m)
  })

  it('reports invalid arguments', async () => {
    const { code, out } = await conformanceProcess(['--base-url', 'nowhere'])
    expect([code, out.split('\n')[0]]).toEqual([2, '--base-url or FLOWPOST_BASE_URL must be the URL of the server.'])
  })
})

describe('flowpost-mock', () => {
  const start = async (): Promise<{ child: ChildProcess; url: string }> => {
    const child = spawn(process.execPath, [script('mock-server'), '--port', '0', '--api-key', 'fp_test'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    return { child, url: /http:\S+:\d+/.exec(String(line))?.[0] ?? '' }
  }

  it('serves a mock until it is killed', async () => {
    const { child, url } = await start()
    const answer = await fetch(`${url}/v1/settings/projects`, { headers: { authorization: 'Bearer fp_test' } })
    expect([answer.status, await answer.json()]).toEqual([200, { data: [], next_cursor: null }])
    // The clock of the mock advances in real time, as on a server.
    const { code, out } = await conformance(['--model', '--base-url', url, '--api-key', 'fp_test', '--runs', '5', '--seed', '1'])
    expect([code, out]).toEqual([0, '5 sequences compared, no differences (seed 1)\n'])
    child.kill()
    await once(child, 'exit')
  })

  it('waits in real time and delivers scheduled messages when they are due', async () => {
    const { child, url } = await start()
    const flowpost = createFlowpost({ baseUrl: url, apiKey: 'fp_test' })
    const { id: project_id } = await flowpost.projects.create({ name: 'billing' })
    await flowpost.flows.create(project_id, { name: 'operations', source_type: 'smtp', target: 'ops@example.com' })
    const send_at = new Date(Date.now() + 3_000).toISOString()
    const { id } = await flowpost.notifications.send({ project_id, subject: 'a', message: 'b', send_at })
    const startedMs = performance.now()
    await flowpost.notifications.get(id, { wait: 1 })
    expect(performance.now() - startedMs).toBeGreaterThan(900)
    expect((await flowpost.notifications.get(id, { wait: 30 })).status).toBe('sent')
    const before = Date.now()
    const createdAt = Date.parse((await flowpost.projects.create({ name: 'later' })).created_at)
    expect(createdAt).toBeGreaterThan(before - 1_000)
    expect(createdAt).toBeLessThan(Date.now() + 1_000)
    child.kill()
    await once(child, 'exit')
  })
})
