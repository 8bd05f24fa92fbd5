import type { Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createManualClock } from '../../../test/manual-clock.ts'
import { type Script, type ScriptedSmtpServer, startScriptedSmtpServer } from '../../../test/scripted-smtp-server.ts'
import { createUnrestrictedEgress } from '../../network/egress.ts'
import { openSmtpConnection } from './open-connection.ts'
import { createSmtpPool, type SmtpPool } from './pool.ts'

let clock = createManualClock()
const egress = createUnrestrictedEgress(() => Promise.reject(new Error('Unexpected HTTP request.')))
const message = { from: 'a@example.com', to: 'b@example.com', source: Buffer.from('Subject: x\r\n\r\nbody\r\n'), smtpUtf8: false }
let server: ScriptedSmtpServer
let pool: SmtpPool

afterEach(async () => {
  pool.close()
  await server.close()
})

async function startPool(script: Script = {}, limits: { maxConnections?: number; maxMessagesPerConnection?: number } = {}) {
  clock = createManualClock()
  server = await startScriptedSmtpServer(script)
  pool = createSmtpPool({
    open: (signal) => openSmtpConnection({ host: '127.0.0.1', port: server.port, security: 'none', timeoutMs: 2000, egress }, signal),
    maxConnections: 2,
    maxMessagesPerConnection: 100,
    maxIdleMs: 1000,
    clock,
    ...limits,
  })
}
const send = (signal = new AbortController().signal) =>
  pool.send(message, { signal, markSendStarted: () => {}, withoutTimeout: (wait) => wait() })

describe('a pool', () => {
  it('sends every message within the connection limit', async () => {
    await startPool()
    await Promise.all(Array.from({ length: 20 }, () => send()))
    expect(server.connections()).toBe(2)
    expect(server.messages).toHaveLength(20)
  })

  it('replaces a connection after maxMessagesPerConnection', async () => {
    await startPool({}, { maxConnections: 1, maxMessagesPerConnection: 2 })
    for (let count = 0; count < 5; count += 1) await send()
    expect(server.connections()).toBe(3)
    expect(server.commands.filter((command) => command === 'QUIT')).toHaveLength(2)
  })

  it('leaves no listener on a connection after a message', async () => {
    const emitWarning = vi.spyOn(process, 'emitWarning')
    await startPool({}, { maxConnections: 1 })
    for (let count = 0; count < 12; count += 1) await send()
    expect(server.connections()).toBe(1)
    expect(emitWarning).not.toHaveBeenCalledWith(expect.objectContaining({ name: 'MaxListenersExceededWarning' }))
  })

  it('quits an idle connection', async () => {
    await startPool()
    await send()
    await vi.waitFor(() => expect(clock.pending()).toBe(1))
    clock.advance(1000)
    await vi.waitFor(() => expect(server.sockets.size).toBe(0))
    expect(server.commands.at(-1)).toBe('QUIT')
  })

  it('reuses the connection that it used last, so that surplus connections time out', async () => {
    await startPool()
    await Promise.all([send(), send()])
    for (let count = 0; count < 4; count += 1) {
      await vi.waitFor(() => expect(clock.pending()).toBe(server.sockets.size))
      clock.advance(400)
      await send()
    }
    await vi.waitFor(() => expect(server.sockets.size).toBe(1))
    expect(server.connections()).toBe(2)
  })

  it('reuses the connection after a rejected recipient', async () => {
    await startPool({ RCPT: ['550 5.1.1 No such user'] }, { maxConnections: 1 })
    await expect(send()).rejects.toMatchObject({ response: '550 5.1.1 No such user' })
    await send()
    expect(server.connections()).toBe(1)
    expect(server.commands).toContain('RSET')
  })

  it('does not resend a message that the server may have accepted', async () => {
    await startPool({ message: [undefined, 'close'] })
    await send()
    await expect(send()).rejects.toMatchObject({ transferred: true })
    expect(server.commands.filter((command) => command === 'DATA')).toHaveLength(2)
  })

  it('removes a waiting message when its signal aborts', async () => {
    await startPool({ MAIL: ['silence'] }, { maxConnections: 1 })
    const first = new AbortController()
    const blocked = send(first.signal)
    await vi.waitFor(() => expect(server.commands).toContain('MAIL FROM:<a@example.com>'))
    const waiterController = new AbortController()
    const waiter = send(waiterController.signal)
    const next = send()
    waiterController.abort(new Error('canceled'))
    await expect(waiter).rejects.toThrow('canceled')
    first.abort(new Error('canceled'))
    await expect(blocked).rejects.toThrow('canceled')
    await next
    expect(server.messages).toHaveLength(1)
  })

  it('sends a message before the waiting ones, even if the server closes the reused connection', async () => {
    await startPool({ MAIL: [undefined, 'close'] }, { maxConnections: 1 })
    await send()
    const order: string[] = []
    await Promise.all(['second', 'third'].map((name) => send().then(() => order.push(name))))
    expect(order).toEqual(['second', 'third'])
    expect(server.connections()).toBe(2)
  })

  it('destroys the connection of an aborted message', async () => {
    await startPool({ message: 'silence' })
    const controller = new AbortController()
    const promise = send(controller.signal)
    await vi.waitFor(() => expect(server.messages).toHaveLength(1))
    controller.abort(new Error('canceled'))
    await expect(promise).rejects.toThrow('canceled')
    await vi.waitFor(() => expect(server.sockets.size).toBe(0))
  })

  it('destroys a connection that is still opening', async () => {
    await startPool({ greeting: 'silence' })
    const controller = new AbortController()
    const promise = send(controller.signal)
    await vi.waitFor(() => expect(server.sockets.size).toBe(1))
    controller.abort(new Error('canceled'))
    await expect(promise).rejects.toThrow('canceled')
    await vi.waitFor(() => expect(server.sockets.size).toBe(0))
  })

  it('quits a connection that was still opening when the pool was closed, as soon as its message is sent', async () => {
    let greet = () => {}
    await startPool({
      greeting: (socket) => {
        greet = () => socket.write('220 test ESMTP\r\n')
      },
    })
    const promise = send()
    await vi.waitFor(() => expect(server.sockets.size).toBe(1))
    pool.close()
    greet()
    await promise
    await vi.waitFor(() => expect(server.sockets.size).toBe(0))
    expect(server.commands.at(-1)).toBe('QUIT')
  })

  it('destroys its connections when it is closed', async () => {
    await startPool({ message: 'silence' })
    const promise = send()
    await vi.waitFor(() => expect(server.messages).toHaveLength(1))
    pool.close()
    await expect(promise).rejects.toMatchObject({ transferred: true })
    await vi.waitFor(() => expect(server.sockets.size).toBe(0))
  })
})

describe('a connection that is being closed counts towards the limit', () => {
  const quitReplies: Socket[] = []
  const script: Script = { QUIT: [(socket) => quitReplies.push(socket)] }
  const limits = { maxConnections: 1, maxMessagesPerConnection: 1 }
  const runEventLoop = () => new Promise((resolve) => setTimeout(resolve, 20))

  it.each([
    ['after its last message', limits],
    ['after it was idle', { maxConnections: 1 }],
  ])('%s', async (_, limit) => {
    quitReplies.length = 0
    await startPool(script, limit)
    await send()
    await vi.waitFor(() => expect(clock.pending()).toBe(1))
    if (!('maxMessagesPerConnection' in limit)) clock.advance(1000)
    await vi.waitFor(() => expect(quitReplies).toHaveLength(1))
    const next = send()
    await runEventLoop()
    expect(server.connections()).toBe(1)
    quitReplies[0]?.end('221 2.0.0 Bye\r\n')
    await next
    expect(server.connections()).toBe(2)
  })

  it('for at most a second if the server does not reply to QUIT', async () => {
    quitReplies.length = 0
    await startPool(script, limits)
    await send()
    await vi.waitFor(() => expect(quitReplies).toHaveLength(1))
    const next = send()
    clock.advance(1000)
    await next
    expect(server.connections()).toBe(2)
  })
})
