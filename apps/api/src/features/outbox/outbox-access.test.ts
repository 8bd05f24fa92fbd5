import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Request } from 'express'
import { describe, expect, test } from 'vitest'
import { createOutboxAccess, type OutboxAccessRule } from './outbox-access.ts'
import { ask, serveOutbox, testMessage } from './outbox-test-server.ts'

const messages = [testMessage(1, { owner: 'ada', subject: 'For Ada' }), testMessage(2, { owner: 'bob', subject: 'For Bob' })]

const basic = (credentials: string): Record<string, string> => ({ authorization: `Basic ${Buffer.from(credentials).toString('base64')}` })

const keys: Record<string, { userId: string; allScopes: boolean }> = {
  fp_ada: { userId: 'ada', allScopes: true },
  fp_narrow: { userId: 'ada', allScopes: false },
}
const withKeys: OutboxAccessRule = { mode: 'on', verifyKey: async (token) => keys[token] ?? null }

describe('local', () => {
  test('shows every message without a credential to a browser on the same machine', async () => {
    await using server = await serveOutbox(messages)
    for (const host of [`127.0.0.1:${server.port}`, `localhost:${server.port}`, 'flowpost.localhost', '[::1]:3000']) {
      const answer = await ask(server, '/outbox', { host })
      expect(answer.status).toBe(200)
      expect(answer.body).toContain('For Ada')
      expect(answer.body).toContain('For Bob')
    }
  })

  test('hides the outbox from a page whose name was rebound to this machine', async () => {
    await using server = await serveOutbox(messages)
    for (const host of ['evil.example', `evil.example:${server.port}`, 'localhost.evil.example', '127.0.0.1.nip.io']) {
      expect(await ask(server, '/outbox', { host })).toMatchObject({ status: 404, challenge: '', body: '{"code":"not_found"}' })
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
  ])('hides the outbox from a request that a proxy passed on with %s', async (name, value) => {
    await using server = await serveOutbox(messages)
    expect(await ask(server, '/outbox', { host: 'localhost', [name]: value })).toMatchObject({ status: 404, body: '{"code":"not_found"}' })
  })

  test('hides the outbox from HTTP/1.0, which is what nginx speaks to its upstream', async () => {
    await using server = await serveOutbox(messages)
    const socket = connect(server.port, '127.0.0.1')
    socket.write(`GET /outbox HTTP/1.0\r\nHost: 127.0.0.1:${server.port}\r\n\r\n`)
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 404 /)
  })

  test('hides its static files and every method too', async () => {
    await using server = await serveOutbox(messages)
    const style = /href="(\/outbox\/assets\/[^"]+\.css)"/.exec((await ask(server, '/outbox', { host: 'localhost' })).body)?.[1] ?? ''
    expect((await ask(server, style, { host: 'localhost' })).status).toBe(200)
    expect((await ask(server, style, { host: 'evil.example' })).status).toBe(404)
    const post = await fetch(`${server.origin}/outbox`, { method: 'POST', headers: { forwarded: 'for=x' } })
    expect([post.status, post.headers.get('allow')]).toEqual([404, null])
  })

  test('believes the socket and not a field about where a request comes from', async () => {
    const authorize = createOutboxAccess({ mode: 'local' })
    const from = (remoteAddress: string | undefined): Request =>
      ({ socket: { remoteAddress }, headers: { host: 'localhost' }, httpVersion: '1.1', ip: '127.0.0.1' }) as unknown as Request
    expect(await authorize(from('::ffff:127.0.0.1'))).toEqual({ all: true })
    expect(await authorize(from('192.0.2.60'))).toBe('hidden')
    expect(await authorize(from(undefined))).toBe('hidden')
  })
})

describe('on', () => {
  test('asks a browser on the same machine for a key too', async () => {
    await using server = await serveOutbox(messages, withKeys)
    expect((await ask(server, '/outbox', { host: 'localhost' })).status).toBe(401)
  })

  test('shows the page that asks for a key with its style sheet', async () => {
    await using server = await serveOutbox(messages, withKeys)
    const { body } = await ask(server, '/outbox', { host: 'localhost' })
    const style = /href="([^"]+\.css)"/.exec(body)?.[1] ?? ''
    expect((await ask(server, style, { host: 'localhost' })).status).toBe(200)
  })

  test.each([
    ['no credential', {}],
    ['an unknown key', basic('any:fp_unknown')],
    ['a key without all scopes', basic('any:fp_narrow')],
    ['no colon', basic('fp_ada')],
    ['nothing on either side of the colon', basic(':')],
    ['something that is not base64', { authorization: 'Basic @@@@' }],
    ['another scheme', { authorization: 'Bearer fp_ada' }],
    ['an endless credential', basic(`any:${'x'.repeat(5000)}`)],
  ])('answers 401 with a challenge to %s', async (_what, headers: Record<string, string>) => {
    await using server = await serveOutbox(messages, withKeys)
    const answer = await ask(server, '/outbox', { host: 'localhost', ...headers })
    expect(answer).toMatchObject({ status: 401, challenge: 'Basic realm="Flowpost outbox", charset="UTF-8"' })
    expect(answer.body).not.toContain('For Ada')
  })

  test.each(['any:fp_ada', ':fp_ada', 'fp_ada:'])('shows a user only their own messages, with the credentials %j', async (credentials) => {
    await using server = await serveOutbox(messages, withKeys)
    const headers = { host: 'flowpost.example', ...basic(credentials) }
    const list = await ask(server, '/outbox', headers)
    expect(list.status).toBe(200)
    expect(list.body).toContain('For Ada')
    expect(list.body).not.toContain('For Bob')
    expect((await ask(server, `/outbox/${messages[0]?.id}`, headers)).status).toBe(200)
    for (const view of ['', '/text', '/source', '/frame', '/raw'])
      expect((await ask(server, `/outbox/${messages[1]?.id}${view}`, headers)).status).toBe(404)
  })
})

test('off hides the outbox from every request, whatever credential it has', async () => {
  await using server = await serveOutbox(messages, { mode: 'off' })
  for (const headers of [{}, basic('any:fp_ada'), { cookie: 'flowpost_outbox=x' }])
    expect(await ask(server, '/outbox', { host: 'localhost', ...headers })).toMatchObject({ status: 404, challenge: '' })
})
