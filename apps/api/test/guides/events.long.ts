import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { childEnvironment } from '../support/child-environment.ts'
import { createEndpoint, endpointPath, eventEnv } from '../support/event-endpoints.ts'
import { followGuide } from '../support/follow-guide.ts'
import { hasCurl, readGuide } from '../support/guide-pages.ts'
import { expectRobustReceiver } from '../support/receiver-robustness.ts'
import { createFlow } from '../support/resources.ts'
import { startTestServer } from '../support/test-server.ts'

const env = { ...eventEnv, FLOWPOST_CAPTURE: 'on' }

/** Starts a receiver, and resolves once its port accepts connections. `printed` returns the receiver's output so far. */
const startReceiver = async (folder: string, port: number, secret: string): Promise<{ child: ChildProcess; printed: () => string }> => {
  const child = spawn(process.execPath, ['receiver.mjs'], {
    cwd: folder,
    env: { ...childEnvironment, FLOWPOST_EVENT_SECRET: secret, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill())
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const url = `http://127.0.0.1:${port}`
  await expectRobustReceiver(url)
  return { child, printed: () => output }
}

/** Returns a port that is free now. */
const findFreePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe('the guide events.md', () => {
  it.skipIf(!hasCurl)('receives pushed events and reads them from the feed', async () => {
    await using server = await startTestServer({ env: { ...env, FLOWPOST_EGRESS_ALLOW: '127.0.0.0/8' } })
    const port = await findFreePort()
    let printed = () => ''
    const lines = await followGuide(server, 'events', {
      replace: [['127.0.0.1:8080', `127.0.0.1:${port}`]],
      afterBlock: async (number, [secret = ''], folder) => {
        if (number === 1) ({ printed } = await startReceiver(folder, port, secret))
      },
    })
    const [secret, test, feed] = lines
    expect(secret).toMatch(/^whsec_/)
    expect(JSON.parse(test ?? '')).toMatchObject({ outcome: 'delivered' })
    expect(JSON.parse(feed ?? '').data).toMatchObject([{ type: 'notification.settled', data: { reference: 'invoice-42', status: 'sent' } }])
    await expect.poll(printed).toBe('test.ping  \nnotification.settled invoice-42 sent\n')
    expect(lines).toHaveLength(3)
  })

  it('names the codes of an endpoint that cannot be reached', async () => {
    await using server = await startTestServer({ env })
    const { project } = await createFlow(server)
    const page = readGuide('events')
    const test = async (url: string | null) => {
      const endpoint = await createEndpoint(server, project.id, { url })
      const { json } = await server.request('POST', `${endpointPath(endpoint)}/test`)
      expect(page).toContain(`\`${json.code}\``)
      return json.code as string
    }
    expect(await test('https://127.0.0.1/flowpost-events')).toBe('address_not_allowed')
    expect(await test('https://127.0.0.1:1/flowpost-events')).toBe('port_not_allowed')
    expect(await test('http://127.0.0.1/flowpost-events')).toBe('https_required')
    expect(await test(null)).toBe('event_endpoint_without_url')
  })
})
