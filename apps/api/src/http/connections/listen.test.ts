import { networkInterfaces } from 'node:os'
import express from 'express'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RawPart, sendRaw } from '../../../test/support/raw-http.ts'
import { ConfigError } from '../../config/config-error.ts'
import { type Listening, listen } from './listen.ts'

let server: Listening
let url: string
let answered = 0

beforeAll(async () => {
  const app = express()
  app.post('/', (request, response) => {
    request.on('error', () => {})
    request.resume().on('end', () => {
      answered += 1
      response.send('read')
    })
  })
  app.get('/slow', (_request, response) => {
    response.write('begun')
    setTimeout(() => response.end('done'), 700)
  })
  app.get('/', (_request, response) => void response.send('ok'))
  server = await listen(app, '127.0.0.1', 0, { headersMs: 200, requestMs: 400, idleMs: 300, checkMs: 50 })
  url = `http://127.0.0.1:${server.port}`
})
afterAll(() => server.close(100))

/** Splits text into single letters with a pause after each. */
const slowly = (text: string, everyMs: number): RawPart[] => [...text].flatMap((letter) => [letter, everyMs])

describe('a slow client', () => {
  it('gets 408 and is disconnected if its headers are late', async () => {
    const answer = await sendRaw(url, ['GET / HTTP/1.1\r\n', ...slowly(`X-A: ${'a'.repeat(100)}`, 20)], 3_000)
    expect([answer.status, answer.body, answer.headers.get('connection')]).toEqual([408, '', 'close'])
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.tookMs).toBeGreaterThan(150)
    expect(answer.tookMs).toBeLessThan(1_500)
  })

  it('gets 408 if its body is late, and its request does not run', async () => {
    const head = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n'
    const answer = await sendRaw(url, [head, ...slowly('a'.repeat(100), 20)], 3_000)
    expect(answer.status).toBe(408)
    expect(answer.tookMs).toBeGreaterThan(350)
    expect(answer.tookMs).toBeLessThan(2_000)
    expect(answered).toBe(0)
  })

  it('is disconnected if it sends nothing', async () => {
    const answer = await sendRaw(url, [], 3_000)
    expect(answer.tookMs).toBeLessThan(2_000)
  })

  it('is disconnected without a response if its next request is late', async () => {
    const answer = await sendRaw(url, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', 3_000)
    expect([answer.status, answer.text.match(/HTTP/g)]).toEqual([200, ['HTTP']])
    expect(answer.tookMs).toBeLessThan(2_500)
  })
})

describe('a request that arrives in time', () => {
  it('is answered even when the response takes longer than the request timeout', async () => {
    const answer = await sendRaw(url, 'GET /slow HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 3_000)
    expect(answer.status).toBe(200)
    expect(answer.text).toContain('done')
  })

  it('gets one response when garbage follows it', async () => {
    const answer = await sendRaw(url, ['GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n', 100, 'nonsense\r\n\r\n'], 3_000)
    expect(answer.text.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 200'])
  })
})

describe('an Expect header', () => {
  const post = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nExpect: 100-continue\r\n'

  it('gets a 100 Continue response if it is 100-continue', async () => {
    const answer = await sendRaw(url, [`${post}Connection: close\r\n\r\n`, 100, 'a'], 3_000)
    expect(answer.text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/)
  })

  it('gets no 100 Continue while an earlier request is in progress, so that the responses are not garbled', async () => {
    const answer = await sendRaw(url, [`GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n${post}Connection: close\r\n\r\na`], 3_000)
    expect(answer.text).not.toContain('100 Continue')
    expect(answer.text).toMatch(/begun.*done.*HTTP\/1\.1 200 OK\r\n.*\r\n\r\nread$/s)
  })

  it('is ignored if it is unknown', async () => {
    const answer = await sendRaw(url, 'GET / HTTP/1.1\r\nHost: localhost\r\nExpect: more\r\nConnection: close\r\n\r\n', 3_000)
    expect([answer.status, answer.body]).toEqual([200, 'ok'])
  })
})

describe('a CONNECT request', () => {
  it('is rejected with the supported methods', async () => {
    const answer = await sendRaw(url, 'CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n', 3_000)
    expect([answer.status, answer.headers.get('connection')]).toEqual([405, 'close'])
    expect(answer.headers.get('allow')).toContain('GET')
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'method_not_allowed', request_id: answer.headers.get('x-request-id') })
  })
})

describe('the address ::', () => {
  const hasIpv6 = Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === '::1'))
  let everywhere: Listening

  beforeAll(async () => {
    everywhere = await listen((_request, response) => void response.end('ok'), '::', 0)
  })
  afterAll(() => everywhere.close(100))

  it('accepts IPv4 connections', async () => {
    expect(await (await fetch(`http://127.0.0.1:${everywhere.port}`)).text()).toBe('ok')
  })

  it.skipIf(!hasIpv6)('accepts IPv6 connections', async () => {
    expect(await (await fetch(`http://[::1]:${everywhere.port}`)).text()).toBe('ok')
  })
})

describe('an address that this machine does not have', () => {
  it.each(['flowpost.invalid', '192.0.2.1'])('%s is reported as an invalid HOST', async (host) => {
    const starting = listen(() => {}, host, 0)
    await expect(starting).rejects.toBeInstanceOf(ConfigError)
    await expect(starting).rejects.toThrow(`HOST must be an IP address or a host name of this machine, such as 127.0.0.1: `)
    await expect(starting).rejects.toThrow(host)
  })
})

describe('closing', () => {
  it('waits for requests in progress, not for idle connections', async () => {
    const app = express()
    app.get('/', (_request, response) => {
      setTimeout(() => response.send('late but whole'), 300)
    })
    const closing = await listen(app, '127.0.0.1', 0)
    const at = `http://127.0.0.1:${closing.port}`
    const idle = sendRaw(at, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', 5_000)
    const asked = fetch(at)
    await new Promise((resolve) => setTimeout(resolve, 100))
    const startedMs = performance.now()
    await closing.close(5_000)
    expect(performance.now() - startedMs).toBeLessThan(3_000)
    expect(await (await asked).text()).toBe('late but whole')
    expect((await idle).status).toBe(200)
    await expect(fetch(at)).rejects.toThrow()
  })

  it('aborts requests that take longer than the grace period', async () => {
    const app = express()
    app.get('/', () => {})
    const closing = await listen(app, '127.0.0.1', 0)
    const asked = fetch(`http://127.0.0.1:${closing.port}`).catch((error: Error) => error.name)
    await new Promise((resolve) => setTimeout(resolve, 50))
    await closing.close(100)
    expect(await asked).toBe('TypeError')
  })
})
