import { connect, type Socket } from 'node:net'
import express from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { type ConnectionLimits, type Listening, listen } from './listen.ts'

const limits = { headersMs: 100, requestMs: 200, responseMs: 300, idleMs: 200, lingerMs: 100, checkMs: 50 }
const bytes = 16 * 1_048_576
let outcomes: string[] = []
const clients: Socket[] = []
let server: Listening
let rejected = 0

const start = async (more: Partial<ConnectionLimits> = {}) => {
  rejected = 0
  const seen: string[] = []
  outcomes = seen
  const app = express()
  app.get('/', (_request, response) => void response.send('ok'))
  app.get('/livez', (_request, response) => void response.send('alive'))
  app.get('/large', (_request, response) => {
    response.on('close', () => seen.push(response.writableFinished ? 'read' : 'cut off'))
    response.send(Buffer.alloc(bytes))
  })
  server = await listen(app, '127.0.0.1', 0, { ...limits, ...more }, () => {
    rejected += 1
  })
}
const ask = () => fetch(`http://127.0.0.1:${server.port}/`, { headers: { Connection: 'close' } }).then((answer) => answer.text())

/** Connects, writes the text, and never closes the client side of the connection. */
const hold = async (text: string): Promise<Socket> => {
  const client = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
  clients.push(client)
  client.on('error', () => {})
  await new Promise((resolve) => client.once('connect', resolve))
  client.write(text)
  return client
}

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await server.close(100)
})

describe('a client that never closes', () => {
  it.each([
    ['sends nothing', ''],
    ['sends half of its headers', 'GET / HTTP/1.1\r\nHost: a'],
    ['sends half of its body', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{'],
    ['sends garbage', 'nonsense\r\n\r\n'],
    ['requests a tunnel', 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n'],
    ['requests a protocol upgrade', 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
    ['requests a close', 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  ])('loses its connection when it %s', async (_, text) => {
    await start({ maxConnections: 3 })
    for (const client of await Promise.all([hold(text), hold(text), hold(text)])) client.resume()
    await expect.poll(ask).toBe('ok')
  })

  it('does not end the process by resetting the connection after CONNECT', async () => {
    await start()
    const client = await hold('CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n')
    await new Promise((resolve) => client.once('data', resolve))
    client.resetAndDestroy()
    expect(await ask()).toBe('ok')
  })
})

describe('a response', () => {
  it('is discarded after its deadline if it is not read', async () => {
    await start()
    const client = await hold('GET /large HTTP/1.1\r\nHost: a\r\n\r\n')
    client.pause()
    await expect.poll(() => outcomes).toEqual(['cut off'])
  })

  it('is also discarded after its deadline if it is read byte by byte', async () => {
    await start()
    const client = await hold('GET /large HTTP/1.1\r\nHost: a\r\n\r\n')
    client.pause()
    const reading = setInterval(() => client.read(1), 20)
    await expect.poll(() => outcomes).toEqual(['cut off'])
    clearInterval(reading)
  })

  it('is complete if it is read in time', async () => {
    await start({ responseMs: 10_000 })
    const answer = await fetch(`http://127.0.0.1:${server.port}/large`)
    expect((await answer.arrayBuffer()).byteLength).toBe(bytes)
    await expect.poll(() => outcomes).toEqual(['read'])
  })
})

it('closes connections above the limit and accepts others when one has closed', async () => {
  await start({ maxConnections: 2, headersMs: 10_000, requestMs: 10_000 })
  const [first, second] = await Promise.all([hold(''), hold('')])
  const third = await hold('')
  third.resume()
  await new Promise((resolve) => third.once('end', resolve))
  expect(rejected).toBe(1)
  expect([first.closed, second.closed]).toEqual([false, false])
  first.destroy()
  await expect.poll(ask).toBe('ok')
})

it('answers probes above the limit, and no other requests', async () => {
  await start({ maxConnections: 2, headersMs: 10_000, requestMs: 10_000 })
  await Promise.all([hold(''), hold('')])
  for (let count = 0; count < 20; count += 1) {
    const probe = await fetch(`http://127.0.0.1:${server.port}/livez`)
    expect([await probe.text(), probe.headers.get('connection')]).toEqual(['alive', 'close'])
  }
  await expect(ask()).rejects.toThrow('fetch failed')
  expect(rejected).toBe(1)
})

it('closes a connection with late headers without waiting for the request timeout', async () => {
  await start({ maxConnections: 1, requestMs: 60_000 })
  const client = await hold('GET / HTTP/1.1\r\nHost: a')
  client.resume()
  await expect.poll(ask).toBe('ok')
})

it('frees a connection as soon as the client closes its side after CONNECT', async () => {
  await start({ maxConnections: 1, lingerMs: 60_000 })
  const client = await hold('CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n')
  client.resume()
  await new Promise((resolve) => client.once('end', resolve))
  client.end()
  await expect.poll(ask).toBe('ok')
})
