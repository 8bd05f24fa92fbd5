import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createFlowpostMock } from '../../src/index.ts'
import { startMockServer } from '../../src/server.ts'

const run = promisify(execFile)
const script = (name: string) => `${import.meta.dirname}/../../src/cli/${name}.ts`

const conformance = async (...args: string[]): Promise<{ code: number; out: string }> => {
  try {
    const { stdout, stderr } = await run(process.execPath, [script('conformance'), ...args])
    return { code: 0, out: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, out: stdout + stderr }
  }
}

describe('flowpost-conformance', () => {
  it('passes a server that conforms', async () => {
    const mock = createFlowpostMock()
    await using server = await startMockServer(mock)
    const { code, out } = await conformance('--base-url', server.url, '--api-key', mock.apiKey, '--only', '^projects')
    expect(out).toContain('skipped  projects.create 201: gives two users the same name (needs otherApiKey)')
    expect(out).toMatch(/^\d\d+ passed, 0 failed, \d+ skipped$/m)
    expect(code).toBe(0)
    expect((await mock.client().projects.list()).data).toEqual([])
  })

  it('fails for one that does not, and says how', async () => {
    const mock = createFlowpostMock()
    mock.faults.every('projects.get', { status: 503 })
    await using server = await startMockServer(mock)
    const { code, out } = await conformance('--base-url', server.url, '--api-key', mock.apiKey, '--only', '^projects.get 304')
    expect(out).toContain('FAILED   projects.get 304: answers without a body while nothing has changed')
    expect(out).toContain('projects.get must answer 200, not 503 unavailable')
    expect(out).toContain('0 passed, 1 failed, 0 skipped')
    expect(code).toBe(1)
  })

  it('shows what covers which status, and why something is not covered', async () => {
    const { out } = await conformance('--list')
    expect(out).toMatch(/^projects\.create 409 +refuses a name that the user has already$/m)
    expect(out).toMatch(/^notifications\.send 503 +- Only a database that is away/m)
  })

  it('says what is wrong with its arguments', async () => {
    const { code, out } = await conformance('--base-url', 'nowhere')
    expect([code, out.split('\n')[0]]).toEqual([2, '--base-url must be the URL of the server.'])
  })
})

describe('flowpost-mock', () => {
  it('serves a mock until it is stopped', async () => {
    const child = spawn(process.execPath, [script('mock-server'), '--port', '0', '--api-key', 'fp_test'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const url = /http:\S+:\d+/.exec(String(line))?.[0]
    const answer = await fetch(`${url}/v1/settings/projects`, { headers: { authorization: 'Bearer fp_test' } })
    expect([answer.status, await answer.json()]).toEqual([200, { data: [], next_cursor: null }])
    child.kill()
    await once(child, 'exit')
  })
})
