import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, inject, it, vi } from 'vitest'
import { EmbeddedConnection } from '../src/database/embedded-connection.ts'
import { socketPath } from '../src/database/lock.ts'
import { childEnvironment } from './support/child-environment.ts'
import { onDatabase } from './support/direct-database.ts'
import { createFlow, readCompleted, send, waitForDeliveryStatus } from './support/resources.ts'
import { startSmtpSink } from './support/smtp-sink.ts'
import { createTestDatabase } from './support/test-database.ts'
import { startTestServer } from './support/test-server.ts'

const embeddedOnly = it.skipIf(inject('postgres'))
const entry = fileURLToPath(new URL('../bin/flowpost.js', import.meta.url))

afterEach(() => void vi.restoreAllMocks())

describe('failed startup', () => {
  it('sends no message when the port is in use', async () => {
    await using smtp = await startSmtpSink({ reply: (number) => (number === 1 ? { code: 451, text: '4.3.0 Try again later' } : 'accept') })
    const env = { FLOWPOST_SMTP_URL: smtp.url, FLOWPOST_EMAIL_FROM: 'noreply@example.com' }
    await using server = await startTestServer({
      database: await createTestDatabase(),
      env,
      retryPolicy: { initialWaitMs: 60_000, maxWaitMs: 60_000, budgetMs: 600_000 },
    })
    const { project } = await createFlow(server)
    const { id } = await send(server, project.id)
    await waitForDeliveryStatus(server, id, 'retrying')
    await server.stop()
    await onDatabase(server.database, (query) => query('update delivery_jobs set due_at = now()'))
    const portHolder = createServer().listen(0, '127.0.0.1')
    await once(portHolder, 'listening')
    const { port } = portHolder.address() as AddressInfo

    await expect(server.restart({ env: { ...env, PORT: String(port) } })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    expect(smtp.received).toHaveLength(1)

    portHolder.close()
    const restarted = await server.restart()
    expect(await readCompleted(restarted, id)).toMatchObject({ status: 'sent' })
    await restarted.stop()
  })
})

describe('signal during startup', () => {
  it('aborts the startup and closes the database', async () => {
    const database = await createTestDatabase()
    await expect(startTestServer({ database, signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
    await using server = await startTestServer({ database })
    expect((await server.request('GET', '/readyz')).status).toBe(200)
  })

  embeddedOnly('releases the data folder before the process exits', async () => {
    const database = await createTestDatabase()
    const socket = socketPath(database.dataDir)
    const child = spawn(process.execPath, [entry], { env: { ...childEnvironment, PORT: '0', ...database.env } })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk
      })
    await expect.poll(() => existsSync(socket), { interval: 5 }).toBe(true)
    child.kill('SIGTERM')
    const [code] = await once(child, 'exit')
    expect([code, existsSync(socket)]).toEqual([0, false])
    expect(output).not.toContain('ready on')
    await database.remove()
  })
})

describe('shutdown', () => {
  it('starts no message while an open request finishes', async () => {
    await using smtp = await startSmtpSink()
    const env = { FLOWPOST_SMTP_URL: smtp.url, FLOWPOST_EMAIL_FROM: 'noreply@example.com' }
    await using server = await startTestServer({ database: await createTestDatabase(), env })
    const { project } = await createFlow(server)
    const dueAt = new Date(Date.now() + 2_000)
    const { id } = await send(server, project.id, { send_at: dueAt.toISOString() })
    const headers = { authorization: `Bearer ${server.keys.alice}`, 'content-type': 'application/json', expect: '100-continue' }
    const open = request(`${server.url}/v1/settings/projects`, { method: 'POST', headers })
    open.flushHeaders()
    await once(open, 'continue')

    const stopping = server.stop()
    // Long enough for a worker to find the message.
    await sleep(dueAt.getTime() + 1_000 - Date.now())
    open.end(JSON.stringify({ name: 'created during the shutdown' }))
    const [response] = (await once(open, 'response')) as [IncomingMessage]
    expect(response.resume().statusCode).toBe(201)
    await stopping
    const rows = await onDatabase(server.database, (query) => query('select status from deliveries'))
    expect([rows, smtp.received]).toEqual([[{ status: 'queued' }], []])

    const restarted = await server.restart()
    expect(await readCompleted(restarted, id)).toMatchObject({ status: 'sent' })
    await restarted.stop()
  })
})

describe('failed shutdown step', () => {
  embeddedOnly('is reported, and the data folder is still released', async () => {
    const server = await startTestServer({ database: await createTestDatabase() })
    const { close } = EmbeddedConnection.prototype
    vi.spyOn(EmbeddedConnection.prototype, 'close').mockImplementationOnce(async function (this: EmbeddedConnection) {
      await close.call(this)
      throw new Error('The database did not close.')
    })
    await expect(server.stop()).rejects.toThrow('The database did not close.')
    expect(existsSync(socketPath(server.database.dataDir))).toBe(false)
    await using restarted = await server.restart()
    expect((await restarted.request('GET', '/readyz')).status).toBe(200)
  })
})
