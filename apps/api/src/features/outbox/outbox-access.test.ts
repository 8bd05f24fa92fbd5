import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Request } from 'express'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rawGet, serveOutbox, testMessage } from '../../../test/support/outbox-server.ts'
import { createOutboxAccess, isLoopbackAddress, isLoopbackHost, type OutboxAccessRule } from './outbox-access.ts'

const messages = [testMessage(1, { owner: 'ada', subject: 'For Ada' }), testMessage(2, { owner: 'bob', subject: 'For Bob' })]

const basic = (credentials: string): Record<string, string> => ({ authorization: `Basic ${Buffer.from(credentials).toString('base64')}` })

const keys: Record<string, { userId: string; allScopes: boolean }> = {
  fp_ada: { userId: 'ada', allScopes: true },
  fp_narrow: { userId: 'ada', allScopes: false },
}
const withKeys: OutboxAccessRule = { mode: 'on', verifyKey: async (token) => keys[token] ?? null }

describe('FLOWPOST_OUTBOX=local', () => {
  test('shows every message to a browser on the same machine without a credential', async () => {
    await using server = await serveOutbox(messages)
    for (const host of [`127.0.0.1:${server.port}`, `localhost:${server.port}`, 'flowpost.localhost', '[::1]:3000']) {
      const response = await rawGet(server, '/outbox', { host })
      expect(response.status).toBe(200)
      expect(response.body).toContain('For Ada')
      expect(response.body).toContain('For Bob')
    }
  })

  test('returns 404 after DNS rebinding', async () => {
    await using server = await serveOutbox(messages)
    for (const host of ['evil.example', `evil.example:${server.port}`, 'localhost.evil.example', '127.0.0.1.nip.io']) {
      expect(await rawGet(server, '/outbox', { host })).toMatchObject({ status: 404, challenge: '', body: '{"code":"not_found"}' })
    }
  })

  test.each([
    ['forwarded', 'for=192.0.2.60;proto=http'],
    ['x-forwarded-for', '192.0.2.60'],
    ['x-forwarded-host', 'localhost'],
    ['x-forwarded-proto', 'https'],
    ['X-Forwarded-Client-Cert', 'x'],
    ['x-real-ip', '127.0.0.1'],
    ['via', '1.1 gateway'],
  ])('returns 404 to a request that came through a proxy, as %s shows', async (name, value) => {
    await using server = await serveOutbox(messages)
    expect(await rawGet(server, '/outbox', { host: 'localhost', [name]: value })).toMatchObject({
      status: 404,
      body: '{"code":"not_found"}',
    })
  })

  test('returns 404 to HTTP/1.0, which nginx uses for upstream requests', async () => {
    await using server = await serveOutbox(messages)
    const socket = connect(server.port, '127.0.0.1')
    socket.write(`GET /outbox HTTP/1.0\r\nHost: 127.0.0.1:${server.port}\r\n\r\n`)
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 404 /)
  })

  test('returns 404 for static files and for every method when access is denied', async () => {
    await using server = await serveOutbox(messages)
    const style = /href="(\/outbox\/assets\/[^"]+\.css)"/.exec((await rawGet(server, '/outbox', { host: 'localhost' })).body)?.[1] ?? ''
    expect((await rawGet(server, style, { host: 'localhost' })).status).toBe(200)
    expect((await rawGet(server, style, { host: 'evil.example' })).status).toBe(404)
    const post = await fetch(`${server.origin}/outbox`, { method: 'POST', headers: { forwarded: 'for=x' } })
    expect([post.status, post.headers.get('allow')]).toEqual([404, null])
  })

  test('determines the origin of a request from the socket, not from header fields', async () => {
    const authorize = createOutboxAccess({ mode: 'local' })
    const from = (remoteAddress: string | undefined): Request =>
      ({ socket: { remoteAddress }, headers: { host: 'localhost' }, httpVersion: '1.1', ip: '127.0.0.1' }) as unknown as Request
    expect(await authorize(from('::ffff:127.0.0.1'))).toEqual({ all: true })
    expect(await authorize(from('192.0.2.60'))).toBe('hidden')
    expect(await authorize(from(undefined))).toBe('hidden')
  })
})

describe('FLOWPOST_OUTBOX=on', () => {
  test('requires a key even from a browser on the same machine', async () => {
    await using server = await serveOutbox(messages, withKeys)
    expect((await rawGet(server, '/outbox', { host: 'localhost' })).status).toBe(401)
  })

  test('serves the style sheet of the sign-in page without a key', async () => {
    await using server = await serveOutbox(messages, withKeys)
    const { body } = await rawGet(server, '/outbox', { host: 'localhost' })
    const style = /href="([^"]+\.css)"/.exec(body)?.[1] ?? ''
    expect((await rawGet(server, style, { host: 'localhost' })).status).toBe(200)
  })

  test.each([
    ['no credential', {}],
    ['an unknown key', basic('any:fp_unknown')],
    ['a key without all scopes', basic('any:fp_narrow')],
    ['no colon', basic('fp_ada')],
    ['nothing on either side of the colon', basic(':')],
    ['invalid base64', { authorization: 'Basic @@@@' }],
    ['another scheme', { authorization: 'Bearer fp_ada' }],
    ['a huge credential', basic(`any:${'x'.repeat(5000)}`)],
  ])('returns 401 with a challenge for %s', async (_name, headers: Record<string, string>) => {
    await using server = await serveOutbox(messages, withKeys)
    const response = await rawGet(server, '/outbox', { host: 'localhost', ...headers })
    expect(response).toMatchObject({ status: 401, challenge: 'Basic realm="Flowpost outbox", charset="UTF-8"' })
    expect(response.body).not.toContain('For Ada')
  })

  test.each(['any:fp_ada', ':fp_ada', 'fp_ada:'])('shows a user only their own messages, with the credentials %j', async (credentials) => {
    await using server = await serveOutbox(messages, withKeys)
    const headers = { host: 'flowpost.example', ...basic(credentials) }
    const list = await rawGet(server, '/outbox', headers)
    expect(list.status).toBe(200)
    expect(list.body).toContain('For Ada')
    expect(list.body).not.toContain('For Bob')
    expect((await rawGet(server, `/outbox/${messages[0]?.id}`, headers)).status).toBe(200)
    for (const view of ['', '/text', '/source', '/frame', '/raw'])
      expect((await rawGet(server, `/outbox/${messages[1]?.id}${view}`, headers)).status).toBe(404)
  })
})

test.each([
  'localhost',
  'localhost:3000',
  'LocalHost:80',
  'flowpost.localhost',
  'a.b.localhost:1',
  '127.0.0.1',
  '127.8.9.10:65535',
  '[::1]',
  '[::1]:3000',
])('accepts the loopback host %s', (host) => {
  expect(isLoopbackHost(host)).toBe(true)
})

test.each([
  '',
  'example.com',
  'localhost.example.com',
  'localhost.example.com:3000',
  'notlocalhost',
  '.localhost',
  'a..localhost',
  '127.0.0.1.example.com',
  '127.0.0.1.nip.io:3000',
  '128.0.0.1',
  '127.0.0.256',
  '127.0.0.01',
  '0.0.0.0',
  '10.0.0.1',
  '[::2]',
  '[::ffff:10.0.0.1]',
  '::1',
  'localhost:3000:1',
  'localhost:',
  'localhost:123456',
  'example.com@localhost',
  'localhost/',
  'localhost, example.com',
  ' localhost',
  'localhost\n',
])('rejects the host %j', (host) => {
  expect(isLoopbackHost(host)).toBe(false)
})

test('accepts every address in 127.0.0.0/8 and no other IPv4 address', () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.nat(65_535), (address, port) => {
      const isLoopback = address.startsWith('127.')
      expect(isLoopbackHost(`${address}:${port}`)).toBe(isLoopback)
      expect(isLoopbackAddress(address)).toBe(isLoopback)
      expect(isLoopbackAddress(`::ffff:${address}`)).toBe(isLoopback)
    }),
  )
  fc.assert(
    fc.property(fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)), (rest) => {
      expect(isLoopbackHost(`127.${rest.join('.')}`)).toBe(true)
    }),
  )
})

test.each(['', '::', '::2', 'fe80::1', '10.0.0.1', '::ffff:10.0.0.1', 'localhost'])('rejects the peer address %j', (address) => {
  expect(isLoopbackAddress(address)).toBe(false)
})

test('returns 404 to every request when the outbox is off', async () => {
  await using server = await serveOutbox(messages, { mode: 'off' })
  for (const headers of [{}, basic('any:fp_ada'), { cookie: 'flowpost_outbox=x' }])
    expect(await rawGet(server, '/outbox', { host: 'localhost', ...headers })).toMatchObject({ status: 404, challenge: '' })
})
