import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { pace, saturate } from './generate-load.ts'

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
  it('counts answers, takes the requests in turn and begins where it is told', async () => {
    const paths: (string | undefined)[] = []
    const port = await serve((request, response) => {
      paths.push(request.url)
      answer(200)(request, response)
    })
    const requests = ['/a', '/b', '/c'].map((path) => ({ method: 'GET', path }) as const)
    const result = await saturate({ port, connections: 1, requests, from: 1, warmUpMs: 0, measuredMs: 50 })

    expect(paths.slice(0, 4)).toEqual(['/b', '/c', '/a', '/b'])
    expect(result.next).toBe(1 + paths.length)
    // The last answer may come after the end, and then does not count.
    expect(Math.abs(result.perSecond * 0.05 - paths.length)).toBeLessThanOrEqual(1)
    expect(result.p50Ms).toBeLessThanOrEqual(result.p99Ms)
  })

  it('has one request under way on each of its connections', async () => {
    const waiting: (() => void)[] = []
    let released = false
    const port = await serve((request, response) => {
      waiting.push(() => answer(200)(request, response))
      // The first answer comes only when every connection has asked.
      released ||= waiting.length === 5
      if (released) for (const respond of waiting.splice(0)) respond()
    })
    const { next } = await saturate({ port, connections: 5, requests: [get], warmUpMs: 0, measuredMs: 50 })
    expect(released).toBe(true)
    expect(next).toBeGreaterThan(5)
  })

  it('fails when an answer is not a success: what it would count is not what is meant', async () => {
    const port = await serve(answer(503))
    await expect(saturate({ port, connections: 2, requests: [get], warmUpMs: 0, measuredMs: 50 })).rejects.toThrow(
      'GET /a was answered with 503',
    )
  })

  it('fails when the server goes away', async () => {
    const port = await serve((request) => request.socket.destroy())
    await expect(saturate({ port, connections: 2, requests: [get], warmUpMs: 0, measuredMs: 50 })).rejects.toThrow()
  })
})

describe('a paced load', () => {
  const post = { method: 'POST', path: '/', body: '{"to":"n###@example.com"}' } as const

  it('sends every numbered request once, no sooner than it is due, and tells when each was answered', async () => {
    const bodies: string[] = []
    const port = await serve(async (request, response) => {
      bodies.push((await request.toArray()).join(''))
      answer(202)(request, response)
    })
    const answeredAtMs = await pace({ port, connections: 3, request: post, count: 12, rate: 200 })

    expect(bodies.toSorted()).toEqual(Array.from({ length: 12 }, (_, number) => `{"to":"n${String(number).padStart(3, '0')}@example.com"}`))
    const spanMs = (answeredAtMs[11] as number) - (answeredAtMs[0] as number)
    // 11 requests at 200 a second, and an answer to the first one that may have taken some milliseconds.
    expect(spanMs).toBeGreaterThan(30)
  })

  it('fails when an answer is not a success', async () => {
    const port = await serve(answer(422))
    await expect(pace({ port, connections: 3, request: post, count: 4, rate: 1000 })).rejects.toThrow('answered with 422')
  })
})
