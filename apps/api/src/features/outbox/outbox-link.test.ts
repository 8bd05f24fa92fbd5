import { describe, expect, test } from 'vitest'
import { createOutboxSession } from './outbox-session.ts'
import { ask, serveOutbox, type TestServer, testMessage } from './outbox-test-server.ts'

const messages = [testMessage(1, { owner: 'ada', subject: 'For Ada' }), testMessage(2, { owner: 'bob', subject: 'For Bob' })]

const get = async (server: TestServer, path: string, headers: Record<string, string> = {}, method = 'GET') => {
  const response = await fetch(server.origin + path, { method, headers, redirect: 'manual' })
  return { status: response.status, headers: response.headers, body: await response.text() }
}

/** A server whose outbox is opened by a link, and the cookie of a reader who has opened it. */
const serveLinked = async () => {
  const session = createOutboxSession()
  const server = await serveOutbox(messages, { mode: 'link', session })
  return { server, session, cookie: `flowpost_outbox_${server.port}=${session.cookie}`, [Symbol.asyncDispose]: server[Symbol.asyncDispose] }
}

describe('without the cookie', () => {
  // HAProxy and nginx 1.30 add no header by default: the request looks like one from a browser on this machine.
  test.each(['/outbox', '/outbox/', `/outbox/${messages[0]?.id}`, `/outbox/${messages[0]?.id}/raw`, '/outbox/none'])(
    'shows no message to a request that looks local, and says what to open (%s)',
    async (path) => {
      await using linked = await serveLinked()
      const { status, headers, body } = await get(linked.server, path)
      expect([status, headers.get('cache-control'), headers.get('www-authenticate')]).toEqual([403, 'no-store', null])
      expect(body).toContain('the link that Flowpost prints when it starts')
      expect(body).not.toMatch(/For (?:Ada|Bob)|Text of message/)
    },
  )

  test('shows the page with its style sheet', async () => {
    await using linked = await serveLinked()
    const style = /href="([^"]+\.css)"/.exec((await get(linked.server, '/outbox')).body)?.[1] ?? ''
    expect((await get(linked.server, style)).status).toBe(200)
    expect((await get(linked.server, style, {}, 'POST')).status).toBe(405)
  })

  test.each([
    ['an empty token', ''],
    ['a short token', 'x'],
    ['a token of the right length', 'A'.repeat(43)],
    ['a token of other characters', 'é'.repeat(43)],
    ['an endless token', 'A'.repeat(10_000)],
  ])('refuses %s', async (_what, token) => {
    await using linked = await serveLinked()
    const { status, headers } = await get(linked.server, `/outbox?token=${encodeURIComponent(token)}`)
    expect([status, headers.get('set-cookie')]).toEqual([403, null])
  })

  test('refuses the link and the cookie of an earlier start', async () => {
    await using before = await serveLinked()
    await using now = await serveLinked()
    const cookie = `flowpost_outbox_${now.server.port}=${before.session.cookie}`
    expect((await get(now.server, `/outbox?token=${before.session.token}`)).status).toBe(403)
    expect((await get(now.server, '/outbox', { cookie })).status).toBe(403)
  })

  test('takes the token for no cookie, and the cookie for no token', async () => {
    await using linked = await serveLinked()
    const { server, session } = linked
    expect((await get(server, '/outbox', { cookie: `flowpost_outbox_${server.port}=${session.token}` })).status).toBe(403)
    expect((await get(server, `/outbox?token=${session.cookie}`)).status).toBe(403)
  })

  test('accepts the token in the link to the list alone', async () => {
    await using linked = await serveLinked()
    const { server, session } = linked
    expect((await get(server, `/outbox/${messages[0]?.id}?token=${session.token}`)).status).toBe(403)
    expect((await get(server, '/outbox', { authorization: `Bearer ${session.token}` })).status).toBe(403)
  })
})

describe('opening the link', () => {
  test.each(['GET', 'HEAD'])(
    'sets a cookie for this path and this session alone, and redirects away from the token (%s)',
    async (method) => {
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
    },
  )

  test('works more than once, and for a reader who has the cookie already', async () => {
    await using linked = await serveLinked()
    const { server, session, cookie } = linked
    for (const headers of [{}, {}, { cookie }])
      expect((await get(server, `/outbox?token=${session.token}`, headers as Record<string, string>)).status).toBe(303)
    // An old link, as in a bookmark, leaves no token in the address either.
    expect((await get(server, '/outbox?token=old', { cookie })).headers.get('location')).toBe('/outbox/')
  })

  test('sets no cookie for another method, for a page that embeds the link, or under a rebound name', async () => {
    await using linked = await serveLinked()
    const { server, session } = linked
    const path = `/outbox?token=${session.token}`
    const posted = await get(server, path, {}, 'POST')
    expect([posted.status, posted.headers.get('set-cookie')]).toEqual([405, null])
    expect(
      (await ask(server, path, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' })).status,
    ).toBe(403)
    expect(await ask(server, path, { host: 'evil.example' })).toMatchObject({ status: 404, body: '{"code":"not_found"}' })
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

  test('still hides the outbox from a page whose name was rebound to this machine', async () => {
    await using linked = await serveLinked()
    const { server, cookie } = linked
    for (const host of ['evil.example', `evil.example:${server.port}`, 'localhost.evil.example'])
      expect(await ask(server, '/outbox', { host, cookie })).toMatchObject({ status: 404, body: '{"code":"not_found"}' })
  })

  test('still refuses what another site embeds or fetches', async () => {
    await using linked = await serveLinked()
    const { server, cookie } = linked
    const asked = (site: string, mode: string, dest: string) =>
      ask(server, '/outbox', { cookie, 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest })
    expect((await asked('same-site', 'cors', 'empty')).status).toBe(403)
    expect((await asked('cross-site', 'navigate', 'iframe')).status).toBe(403)
    expect((await asked('cross-site', 'navigate', 'document')).status).toBe(200)
  })

  test('shows nothing to a cookie of another name or server on this machine', async () => {
    await using linked = await serveLinked()
    const { server, session } = linked
    for (const name of ['flowpost_outbox', `flowpost_outbox_${server.port + 1}`, '__proto__'])
      expect((await get(server, '/outbox', { cookie: `${name}=${session.cookie}` })).status).toBe(403)
  })
})
