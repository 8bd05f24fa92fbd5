import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { expectProblem } from './support/expect-problem.ts'
import { createFlow, readCompleted, send } from './support/resources.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

/** Sends a request as HAProxy does by default. The server cannot distinguish such a request from that of a local browser. */
const requestThroughProxy = async (server: TestServer, path: string): Promise<string> => {
  const { port } = new URL(server.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`)
  return text(socket)
}

const captureMessage = async (server: TestServer): Promise<{ id: string }> => {
  const { project } = await createFlow(server)
  const { id } = await send(server, project.id, { subject: 'Invoice 43', message: 'For your eyes' })
  return (await readCompleted(server, id)).deliveries[0]
}

const capture = { FLOWPOST_CAPTURE: 'on' }

describe('the outbox of a development server', () => {
  it('returns 403 to a request that a proxy forwarded without adding headers', async () => {
    await using server = await startTestServer({ env: capture })
    const { id } = await captureMessage(server)
    for (const path of ['/outbox', `/outbox/${id}`, `/outbox/${id}/raw`]) {
      const response = await requestThroughProxy(server, path)
      expect(response, path).toMatch(/^HTTP\/1\.1 403 /)
      expect(response, path).not.toMatch(/Invoice 43|For your eyes/)
    }
    expect((await server.openOutbox('')).text).toContain('Invoice 43')
  })

  it('logs neither its token nor its cookie', async () => {
    await using server = await startTestServer({ env: capture })
    expect((await server.openOutbox('')).status).toBe(200)
    await server.stop()
    expect(server.logged.join('')).toContain('/outbox')
    expect(server.outboxToken).toMatch(/^[\w-]{43}$/)
    expect(server.logged.join('')).not.toContain(server.outboxToken)
    expect(server.logged.join('')).not.toContain('flowpost_outbox_')
  })

  it('creates a new token at each start', async () => {
    await using server = await startTestServer()
    await server.stop()
    await using next = await server.restart()
    expect(next.outboxToken).not.toBe(server.outboxToken)
    expect((await next.request('GET', `/outbox?token=${server.outboxToken}`, { key: null })).status).toBe(403)
  })

  it('requires no token with FLOWPOST_OUTBOX=local', async ({ skip }) => {
    await using server = await startTestServer({ env: capture })
    if (server.database.url !== undefined) return skip('FLOWPOST_OUTBOX=local is for the embedded database.')
    await captureMessage(server)
    await server.stop()
    await using local = await server.restart({ env: { ...capture, FLOWPOST_OUTBOX: 'local' } })
    expect(local.outboxToken).toBeUndefined()
    expect((await local.request('GET', '/outbox', { key: null })).text).toContain('Invoice 43')
  })
})

it.each([{ NODE_ENV: 'production' }, { HOST: '0.0.0.0' }, { FLOWPOST_OUTBOX: 'off' }])(
  'a server with %o has no outbox',
  async (env: Record<string, string>) => {
    await using server = await startTestServer({ env })
    expect(server.outboxToken).toBeUndefined()
    expectProblem(await server.request('GET', '/outbox', { key: null }), 'not_found')
  },
)
