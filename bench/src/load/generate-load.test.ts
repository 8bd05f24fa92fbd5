import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { pace, saturate, sharedClockMs } from './generate-load.ts'

const open: { close(): void; closeAllConnections(): void }[] = []
afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

const serve = async (listener: RequestListener): Promise<number> => {
  const server = createServer(listener).listen(0, '127.0.0.1')
  open.push(server)
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const answer =
  (status: number): RequestListener =>
  (_request, response) =>
    response.writeHead(status, { 'Content-Length': 2 }).end('{}')

const get = { method: 'GET', path: '/a' } as const

describe('a load generator', () => {
  it('counts responses and sends the requests in turn, starting at `from`', async () => {
    const paths: (string | undefined)[] = []
    const port = await serve((request, response) => {
      paths.push(request.url)
      answer(200)(request, response)
    })
    const requests = ['/a', '/b', '/c'].map((path) => ({ method: 'GET', path }) as const)
    const result = await saturate({ port, connections: 1, requests, from: 1, warmUpMs: 0, measuredMs: 200 })

    expect(paths.slice(0, 4)).toEqual(['/b', '/c', '/a', '/b'])
    expect(result.next).toBe(1 + paths.length)
    // A response that arrives after the end of the measurement does not count.
    expect(Math.abs(Math.round(result.perSecond * 0.2) - paths.length)).toBeLessThanOrEqual(1)
    expect(result.p50Ms).toBeLessThanOrEqual(result.p99Ms)
  })

  it('sends one request at a time on each connection', async () => {
    const waiting: (() => void)[] = []
    let released = false
    const port = await serve((request, response) => {
      waiting.push(() => answer(200)(request, response))
      // Responds only when every connection has sent a request.
      released ||= waiting.length === 5
      if (released) for (const respond of waiting.splice(0)) respond()
    })
    const { next } = await saturate({ port, connections: 5, requests: [get], warmUpMs: 0, measuredMs: 200 })
    expect(released).toBe(true)
    expect(next).toBeGreaterThan(5)
  })

  it('continues until the first response when the server is slower than the measured time', async () => {
    const port = await serve((request, response) => void setTimeout(() => answer(200)(request, response), 150))
    const { perSecond, p50Ms } = await saturate({ port, connections: 1, requests: [get], warmUpMs: 0, measuredMs: 50 })

    expect(p50Ms).toBeGreaterThanOrEqual(149)
    expect(perSecond).toBeGreaterThan(0)
    expect(perSecond).toBeLessThanOrEqual(1000 / 149)
  })

  it('fails when a response is not a success', async () => {
    const port = await serve(answer(503))
    await expect(saturate({ port, connections: 2, requests: [get], warmUpMs: 0, measuredMs: 50 })).rejects.toThrow('GET /a returned 503')
  })

  it('fails when the server closes the connection', async () => {
    const port = await serve((request) => request.socket.destroy())
    await expect(saturate({ port, connections: 2, requests: [get], warmUpMs: 0, measuredMs: 50 })).rejects.toThrow()
  })
})

describe('a paced load', () => {
  const post = { method: 'POST', path: '/', body: '{"to":"n###@example.com"}' } as const

  it('sends every numbered request once, not before it is due, and returns the response times', async () => {
    const receivedAtMs = new Map<string, number>()
    const port = await serve(async (request, response) => {
      const body = (await request.toArray()).join('')
      expect(receivedAtMs.has(body)).toBe(false)
      receivedAtMs.set(body, sharedClockMs())
      answer(202)(request, response)
    })
    const startedAtMs = sharedClockMs()
    const respondedAtMs = await pace({ port, connections: 3, request: post, count: 12, rate: 200 })

    expect(respondedAtMs).toHaveLength(12)
    for (const [number, atMs] of respondedAtMs.entries()) {
      const received = receivedAtMs.get(`{"to":"n${String(number).padStart(3, '0')}@example.com"}`) ?? Number.NaN
      // Node timers may fire up to a millisecond early.
      expect(received - startedAtMs).toBeGreaterThan(number * 5 - 1)
      expect(atMs).toBeGreaterThanOrEqual(received)
    }
  })

  it('fails when a response is not a success', async () => {
    const port = await serve(answer(422))
    await expect(pace({ port, connections: 3, request: post, count: 4, rate: 1000 })).rejects.toThrow('returned 422')
  })
})
