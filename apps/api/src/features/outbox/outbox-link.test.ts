import { describe, expect, test } from 'vitest'
import { type OutboxServer, rawGet, serveOutbox, testMessage } from '../../../test/support/outbox-server.ts'
import { createOutboxSession } from './outbox-session.ts'

const messages = [testMessage(1, { owner: 'ada', subject: 'For Ada' }), testMessage(2, { owner: 'bob', subject: 'For Bob' })]

const get = async (server: OutboxServer, path: string, headers: Record<string, string> = {}, method = 'GET') => {
  const response = await fetch(server.origin + path, { method, headers, redirect: 'manual' })
  return { status: response.status, headers: response.headers, body: await response.text() }
}

/** Serves an outbox that opens with a link. Also returns the cookie that a browser has after opening the link. */
const serveLinked = async () => {
  const session = createOutboxSession()
  const server = await serveOutbox(messages, { mode: 'link', session })
  return { server, session, cookie: `flowpost_outbox_${server.port}=${session.cookie}`, [Symbol.asyncDispose]: server[Symbol.asyncDispose] }
}

describe('without the cookie', () => {
  // HAProxy and nginx 1.30 add no header by default, so a proxied request looks like one from a browser on this machine.
  test.each(['/outbox', '/outbox/', `/outbox/${messages[0]?.id}`, `/outbox/${messages[0]?.id}/raw`, '/outbox/none'])(
    'returns 403 with instructions and no message (%s)',
    async (path) => {
      await using linked = await serveLinked()
      const { status, headers, body } = await get(linked.server, path)
      expect([status, headers.get('cache-control'), headers.get('www-authenticate')]).toEqual([403, 'no-store', null])
      expect(body).toContain('the link that Flowpost prints when it starts')
      expect(body).not.toMatch(/For (?:Ada|Bob)|Text of message/)
    },
  )

  test('serves the style sheet of the instructions', async () => {
    await using linked = await serveLinked()
    const style = /href="([^"]+\.css)"/.exec((await get(linked.server, '/outbox')).body)?.[1] ?? ''
    expect((await get(linked.server, style)).status).toBe(200)
    expect((await get(linked.server, style, {}, 'POST')).status).toBe(405)
  })

  test.each([
    ['an empty token', ''],
    ['a short token', 'x'],
    ['a wrong token of the right length', 'A'.repeat(43)],
    ['a token with other characters', 'é'.repeat(43)],
    ['a huge token', 'A'.repeat(10_000)],
  ])('rejects %s', async (_name, token) => {
    await using linked = await serveLinked()
    const { status, headers } = await get(linked.server, `/outbox?token=${encodeURIComponent(token)}`)
    expect([status, headers.get('set-cookie')]).toEqual([403, null])
  })

  test('rejects the link and the cookie from an earlier start', async () => {
    await using before = await serveLinked()
    await using now = await serveLinked()
    const cookie = `flowpost_outbox_${now.server.port}=${before.session.cookie}`
    expect((await get(now.server, `/outbox?token=${before.session.token}`)).status).toBe(403)
    expect((await get(now.server, '/outbox', { cookie })).status).toBe(403)
  })

  test('accepts the token only as a token, and the cookie only as a cookie', async () => {
    await using linked = await serveLinked()
    const { server, session } = linked
    expect((await get(server, '/outbox', { cookie: `flowpost_outbox_${server.port}=${session.token}` })).status).toBe(403)
    expect((await get(server, `/outbox?token=${session.cookie}`)).status).toBe(403)
  })

  test('accepts the token only in the URL of the list', async () => {
    await using linked = await serveLinked()
    const { server, session } = linked
    expect((await get(server, `/outbox/${messages[0]?.id}?token=${session.token}`)).status).toBe(403)
    expect((await get(server, '/outbox', { authorization: `Bearer ${session.token}` })).status).toBe(403)
  })
})

describe('opening the link', () => {
  test.each(['GET', 'HEAD'])('sets a session cookie for this path and redirects to a URL without the token (%s)', async (method) => {
    await using linked = await serveLinked()
    const { server, session, cookie } = linked
    const { status, headers, body } = await get(server, `/outbox?token=${session.token}`, {}, method)
    expect([status, headers.get('location'), headers.get('cache-control'), headers.get('referrer-policy')]).toEqual([
      303,
      '/outbox/',
      'no-store',
      'no-referrer',
    ])
    expect(headers.get('set-cookie')).toBe(`${cookie}; Path=/outbox; HttpOnly; SameSite=Strict`)
    expect(`${body}${headers.get('location')}`).not.toContain(session.token)
  })

  test('works more than once, and for a browser that already has the cookie', async () => {
    await using linked = await serveLinked()
    const { server, session, cookie } = linked
    for (const headers of [{}, {}, { cookie }])
      expect((await get(server, `/outbox?token=${session.token}`, headers as Record<string, string>)).status).toBe(303)
    // An old link, such as a bookmark, also redirects to a URL without a token.
    expect((await get(server, '/outbox?token=old', { cookie })).headers.get('location')).toBe('/outbox/')
  })

  test('sets no cookie for other methods, embedded links or DNS-rebound names', async () => {
    await using linked = await serveLinked()
    const { server, session } = linked
    const path = `/outbox?token=${session.token}`
    const posted = await get(server, path, {}, 'POST')
    expect([posted.status, posted.headers.get('set-cookie')]).toEqual([405, null])
    expect(
      (await rawGet(server, path, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' })).status,
    ).toBe(403)
    expect(await rawGet(server, path, { host: 'evil.example' })).toMatchObject({ status: 404, body: '{"code":"not_found"}' })
  })
})

describe('with the cookie', () => {
  test('shows every message', async () => {
    await using linked = await serveLinked()
    const { server, cookie } = linked
    const list = await get(server, '/outbox', { cookie: `theme=dark; ${cookie}; other="x"` })
    expect(list.status).toBe(200)
    expect(list.body).toContain('For Ada')
    expect(list.body).toContain('For Bob')
    for (const view of ['', '/text', '/source', '/raw'])
      expect((await get(server, `/outbox/${messages[0]?.id}${view}`, { cookie })).status).toBe(200)
  })

  test('returns 404 after DNS rebinding', async () => {
    await using linked = await serveLinked()
    const { server, cookie } = linked
    for (const host of ['evil.example', `evil.example:${server.port}`, 'localhost.evil.example'])
      expect(await rawGet(server, '/outbox', { host, cookie })).toMatchObject({ status: 404, body: '{"code":"not_found"}' })
  })

  test('rejects embedded and fetched requests from other sites', async () => {
    await using linked = await serveLinked()
    const { server, cookie } = linked
    const requestAs = (site: string, mode: string, dest: string) =>
      rawGet(server, '/outbox', { cookie, 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest })
    expect((await requestAs('same-site', 'cors', 'empty')).status).toBe(403)
    expect((await requestAs('cross-site', 'navigate', 'iframe')).status).toBe(403)
    expect((await requestAs('cross-site', 'navigate', 'document')).status).toBe(200)
  })

  test('rejects a cookie with another name or from another server on this machine', async () => {
    await using linked = await serveLinked()
    const { server, session } = linked
    for (const name of ['flowpost_outbox', `flowpost_outbox_${server.port + 1}`, '__proto__'])
      expect((await get(server, '/outbox', { cookie: `${name}=${session.cookie}` })).status).toBe(403)
  })
})
