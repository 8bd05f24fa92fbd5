import type { Socket } from 'node:net'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createMessage } from '../../../test/fixtures.ts'
import { createManualClock, type ManualClock } from '../../../test/manual-clock.ts'
import { type Script, type ScriptedSmtpServer, startScriptedSmtpServer } from '../../../test/scripted-smtp-server.ts'
import { createProviderClient } from '../../client/provider-client.ts'
import { createSmtp } from './smtp.ts'

const accepted = '250 2.0.0 Ok\r\n'
let clock: ManualClock
let server: ScriptedSmtpServer

beforeEach(() => {
  clock = createManualClock()
})

/** Starts a server, and a client with at most one connection and a timeout of 1000 ms. Returns a function that sends a message. */
const start = async (script: Script): Promise<(signal?: AbortSignal) => Promise<string>> => {
  server = await startScriptedSmtpServer(script)
  const client = createProviderClient({ timeoutMs: 1000, clock })
  onTestFinished(async () => {
    await client.close()
    await server.close()
  })
  const provider = createSmtp({ maxConnections: 1, clock })
  const settings = { host: '127.0.0.1', port: server.port, security: 'none', from: 'no-reply@sender.example' }
  return (signal) =>
    client
      .deliver({ provider, credential: { settings, secrets: {}, trusted: true }, message: createMessage(), ...(signal && { signal }) })
      .then(
        () => 'sent',
        ({ kind, code }) => `${kind} ${code}`,
      )
}

const untilReceived = (count: number) => expect.poll(() => server.messages.length).toBe(count)

describe('a message that waits for a connection', () => {
  it('is sent, however long it waits', async () => {
    const send = await start({
      message: (socket) => {
        clock.advance(300)
        socket.write(accepted)
      },
    })
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => send()))
    expect(outcomes).toEqual(Array.from({ length: 10 }, () => 'sent'))
    expect(server.connections()).toBe(1)
  })

  it('has the whole timeout for its own exchange', async () => {
    const { promise, resolve } = Promise.withResolvers<Socket>()
    const send = await start({ message: [resolve, 'silence'] })
    const first = send()
    await untilReceived(1)
    let outcome = 'pending'
    const second = send().then((result) => {
      outcome = result
    })
    clock.advance(900)
    const socket = await promise
    socket.write(accepted)
    expect(await first).toBe('sent')
    await untilReceived(2)
    clock.advance(999)
    await new Promise((turn) => setImmediate(turn))
    expect(outcome).toBe('pending')
    clock.advance(1)
    await second
    expect(outcome).toBe('ambiguous timed_out')
  })

  it('stops waiting when it is aborted, and is not sent', async () => {
    const { promise, resolve } = Promise.withResolvers<Socket>()
    const send = await start({ message: [resolve] })
    const first = send()
    await untilReceived(1)
    const controller = new AbortController()
    const second = send(controller.signal)
    controller.abort()
    expect(await second).toBe('provider aborted')
    const socket = await promise
    socket.write(accepted)
    expect(await first).toBe('sent')
    expect(server.messages).toHaveLength(1)
  })
})
