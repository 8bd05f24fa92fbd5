import { createFlowpostMock } from '@flowpost/testing'
import { startMockServer } from '@flowpost/testing/server'
import { afterAll, describe, expect, it } from 'vitest'
import { createMachine } from './support/run-cli.ts'

const mock = createFlowpostMock()
const server = await startMockServer(mock)
afterAll(() => server.close())
const { run } = createMachine()

describe('a wrong server or key', () => {
  // A file from Windows adds such a carriage return. The other key is the placeholder of the documentation.
  it.each(['fp_x\r', 'fp_…'])('names the variable with the key %j, which cannot be sent', async (key) => {
    const { code, stderr } = await run(['whoami', '--json'], { env: { FLOWPOST_BASE_URL: server.url, FLOWPOST_API_KEY: key } })
    expect([code, JSON.parse(stderr)]).toMatchObject([1, { error: { code: 'usage', hint: 'Correct FLOWPOST_API_KEY.' } }])
    expect(stderr).not.toContain('fp_')
  })

  it('does not stop a command that sends no key', async () => {
    expect(await run(['env', 'list'], { env: { FLOWPOST_BASE_URL: server.url, FLOWPOST_API_KEY: 'fp_…' } })).toMatchObject({ code: 0 })
  })

  it('says that the path of the URL may be wrong', async () => {
    const { code, stderr } = await run(['login', 'path', '--url', `${server.url}/v1`], { stdin: mock.apiKey })
    expect([code, stderr]).toEqual([1, expect.stringContaining('the URL of the server has a wrong path')])
  })
})
