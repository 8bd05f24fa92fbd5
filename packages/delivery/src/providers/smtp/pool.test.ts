import { afterEach, describe, expect, it, vi } from 'vitest'
import { createManualClock } from '../../../test/manual-clock.ts'
import { type Script, type ScriptedSmtpServer, startScriptedSmtpServer } from '../../../test/scripted-smtp-server.ts'
import { createOpenEgress } from '../../egress.ts'
import { openSmtpConnection } from './open-connection.ts'
import { createSmtpPool, type SmtpPool } from './pool.ts'

let clock = createManualClock()
const egress = createOpenEgress(() => Promise.reject(new Error('No HTTP here.')))
const message = { from: 'a@example.com', to: 'b@example.com', source: Buffer.from('Subject: x\r\n\r\nbody\r\n'), smtpUtf8: false }
let server: ScriptedSmtpServer
let pool: SmtpPool

afterEach(async () => {
  pool.close()
  await server.close()
})

async function setUp(script: Script = {}, limits: { maxConnections?: number; maxMessages?: number } = {}) {
  clock = createManualClock()
  server = await startScriptedSmtpServer(script)
  pool = createSmtpPool({
    open: (signal) => openSmtpConnection({ host: '127.0.0.1', port: server.port, security: 'none', timeoutMs: 2000, egress }, signal),
    maxConnections: 2,
    maxMessages: 100,
    maxIdleMs: 1000,
    clock,
    ...limits,
  })
}
const send = (signal = new AbortController().signal) => pool.send(message, signal, () => {})

describe('a pool', () => {
  it('opens no more connections than allowed, and sends everything', async () => {
    await setUp()
    await Promise.all(Array.from({ length: 20 }, () => send()))
    expect(server.connections()).toBe(2)
    expect(server.messages).toHaveLength(20)
  })

  it('replaces a connection after its share of messages', async () => {
    await setUp({}, { maxConnections: 1, maxMessages: 2 })
    for (let count = 0; count < 5; count += 1) await send()
    expect(server.connections()).toBe(3)
    expect(server.commands.filter((command) => command === 'QUIT')).toHaveLength(2)
  })

  it('says goodbye on a connection that was idle for a while', async () => {
    await setUp()
    await send()
    await vi.waitFor(() => expect(clock.pending()).toBe(1))
    clock.advance(1000)
    await vi.waitFor(() => expect(server.sockets.size).toBe(0))
    expect(server.commands.at(-1)).toBe('QUIT')
  })

  it('goes on with the same connection after a refused receiver', async () => {
    await setUp({ RCPT: ['550 5.1.1 No such user'] }, { maxConnections: 1 })
    await expect(send()).rejects.toMatchObject({ response: '550 5.1.1 No such user' })
    await send()
    expect(server.connections()).toBe(1)
    expect(server.commands).toContain('RSET')
  })

  it('does not try a message again that the server may have taken', async () => {
    await setUp({ message: [undefined, 'close'] })
    await send()
    await expect(send()).rejects.toMatchObject({ transferred: true })
    expect(server.commands.filter((command) => command === 'DATA')).toHaveLength(2)
  })

  it('lets one go that waits for a connection when its signal aborts', async () => {
    await setUp({ MAIL: ['silence'] }, { maxConnections: 1 })
    const first = new AbortController()
    const blocked = send(first.signal)
    await vi.waitFor(() => expect(server.commands).toContain('MAIL FROM:<a@example.com>'))
    const waiting = new AbortController()
    const waiter = send(waiting.signal)
    const next = send()
    waiting.abort(new Error('enough'))
    await expect(waiter).rejects.toThrow('enough')
    first.abort(new Error('enough'))
    await expect(blocked).rejects.toThrow('enough')
    await next
    expect(server.messages).toHaveLength(1)
  })

  it('destroys the connection of a message that is given up', async () => {
    await setUp({ message: 'silence' })
    const controller = new AbortController()
    const promise = send(controller.signal)
    await vi.waitFor(() => expect(server.messages).toHaveLength(1))
    controller.abort(new Error('enough'))
    await expect(promise).rejects.toThrow('enough')
    await vi.waitFor(() => expect(server.sockets.size).toBe(0))
  })

  it('destroys a connection that is still being made', async () => {
    await setUp({ greeting: 'silence' })
    const controller = new AbortController()
    const promise = send(controller.signal)
    await vi.waitFor(() => expect(server.sockets.size).toBe(1))
    controller.abort(new Error('enough'))
    await expect(promise).rejects.toThrow('enough')
    await vi.waitFor(() => expect(server.sockets.size).toBe(0))
  })

  it('drops its connections when it is closed', async () => {
    await setUp({ message: 'silence' })
    const promise = send()
    await vi.waitFor(() => expect(server.messages).toHaveLength(1))
    pool.close()
    await expect(promise).rejects.toMatchObject({ transferred: true })
    await vi.waitFor(() => expect(server.sockets.size).toBe(0))
  })
})
