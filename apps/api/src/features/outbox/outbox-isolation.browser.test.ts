import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { afterAll, expect, test, vi } from 'vitest'
import { createVisitor } from '../../../test/support/browser.ts'
import { type StoredMessage, serveOutbox, testMessage } from '../../../test/support/outbox-server.ts'

const { visit, close } = await createVisitor()
afterAll(close)

/** Serves a host that must not be contacted. It counts connections, even those without a request. */
const serveTripwire = async (): Promise<{ url: string; count: () => number } & AsyncDisposable> => {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.destroy()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const close = (): Promise<unknown> => new Promise((resolve) => server.close(resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`,
    count: () => connections,
    [Symbol.asyncDispose]: async () => void (await close()),
  }
}

const pixel = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'

const bait: Readonly<Record<string, (url: string) => string>> = {
  'an image': (url) => `<img src="${url}">`,
  'an image of an SVG': (url) => `<svg><image href="${url}"/></svg>`,
  'a style sheet': (url) => `<link rel=stylesheet href="${url}">`,
  'an import and a background': (url) => `<style>@import "${url}"; body { background: url(${url}) }</style>`,
  'a font': (url) => `<style>@font-face { font-family: a; src: url(${url}) } body { font-family: a }</style>text`,
  'a frame': (url) => `<iframe src="${url}"></iframe>`,
  'a frame set': (url) => `<frameset><frame src="${url}"></frameset>`,
  'an object': (url) => `<object data="${url}"></object><embed src="${url}">`,
  'a video': (url) => `<video poster="${url}" src="${url}" autoplay></video>`,
  'a refresh': (url) => `<meta http-equiv=refresh content="0;url=${url}">`,
  'a prefetch': (url) => `<link rel=prefetch href="${url}"><link rel=modulepreload href="${url}"><link rel=icon href="${url}">`,
  'a script': (url) =>
    `<script src="${url}"></script><script>fetch("${url}"); location = "${url}"</script><img src=x onerror='fetch("${url}")'>`,
  'a form that submits itself': (url) => `<form action="${url}"></form><script>document.forms[0].submit()</script>`,
}

test('connects to no other host when a message is read', async ({ skip }) => {
  await using stack = new AsyncDisposableStack()
  const lures = await Promise.all(
    Object.entries(bait).map(async ([name, markup], index) => {
      const [trap, control] = [stack.use(await serveTripwire()), stack.use(await serveTripwire())]
      return { name, trap, control, unprotected: markup(control.url), message: testMessage(index, { html: markup(trap.url) }) }
    }),
  )
  await using server = await serveOutbox(
    lures.map(({ message }) => message),
    undefined,
    (app) => {
      for (const { message, unprotected } of lures)
        app.get(`/unprotected/${message.id}`, (_request, response) => void response.type('html').send(unprotected))
    },
  )
  await using visited = await visit(skip)
  const outcomes = await Promise.all(
    lures.map(async ({ name, message, trap, control }) => {
      const page = await visited.page.context().newPage()
      await page.goto(`${server.origin}/outbox/${message.id}`)
      await page.goto(`${server.origin}/outbox/${message.id}/frame`)
      // The unprotected copy, which makes the browser connect, is opened last. Once its connection arrives, the protected
      // message has also had enough time to connect.
      await page.goto(`${server.origin}/unprotected/${message.id}`).catch(() => {})
      await vi.waitFor(() => expect(control.count(), name).toBeGreaterThan(0), 60_000)
      return [name, trap.count()] as const
    }),
  )
  expect(outcomes.filter(([, connections]) => connections > 0)).toEqual([])
})

test('blocks links inside the framed message and keeps the message visible', async ({ skip }) => {
  await using trap = await serveTripwire()
  const link = (id: string, rest: string, tag = 'a') => `<p><${tag} id=${id} ${rest}>${id}</${tag}></p>`
  const svgLink = (id: string, rest: string, content = '') =>
    `<p><svg width=100 height=20><a id=${id} ${rest}>${content}<text y=15>${id}</text></a></svg></p>`
  const href = `href="${trap.url}"`
  const links = {
    script: link('script', 'href="javascript:parent.alert(1)"'),
    blank: link('blank', `target=_blank ${href}`),
    top: link('top', `target=_top ${href}`),
    parent: link('parent', `target=_parent ${href}`),
    self: link('self', `target=_self ${href}`),
    uppercase: link('uppercase', `TARGET=_SELF ${href}`, 'A'),
    slashes: `<p><a/id="slashes"/target="_self"/${href}>slashes</a></p>`,
    area: `<map name=areas><area target=_self shape=rect coords=0,0,20,20 ${href}></map><img id=area usemap=#areas width=20 height=20 src="${pixel}">`,
    svg: svgLink('svg', href),
    svgSelf: svgLink('svgSelf', `target=_self xlink:${href}`),
    svgSet: svgLink('svgSet', href, '<SET attributeName=target to=_self></SET>'),
    svgAnimate: svgLink('svgAnimate', href, '<animate attributeName=target values=_self dur=indefinite />'),
    plain: link('plain', href),
  }
  const message = testMessage(1, { html: Object.values(links).join('') })
  await using server = await serveOutbox([message])
  await using visited = await visit(skip)
  const { page } = visited
  for (const path of ['', '/frame']) {
    const url = `${server.origin}/outbox/${message.id}${path}`
    await page.goto(url)
    const shown = path === '' ? page.frameLocator('iframe') : page
    for (const id of Object.keys(links)) await shown.locator(`#${id}`).click({ force: true })
    await page.waitForLoadState('networkidle')
    expect(await shown.locator('#plain').innerText()).toBe('plain')
    expect(page.url()).toBe(url)
    expect(page.context().pages()).toHaveLength(1)
  }
  expect(trap.count()).toBe(0)
  expect(visited.errors.filter((error) => error.startsWith('dialog'))).toEqual([])
})

test('opens links in the text view in a tab without an opener or a referrer', async ({ skip }) => {
  const messages: StoredMessage[] = []
  await using server = await serveOutbox(messages, undefined, (app) => {
    app.get('/followed', (_request, response) => {
      response.type('html').send(`<script>document.title = 'opener ' + window.opener + ', referrer "' + document.referrer + '"'</script>`)
    })
  })
  const message = testMessage(1, { text: `Go to ${server.origin}/followed.` })
  messages.push(message)
  await using visited = await visit(skip)
  await visited.page.goto(`${server.origin}/outbox/${message.id}/text`)
  const [opened] = await Promise.all([
    visited.page.context().waitForEvent('page'),
    visited.page.getByRole('link', { name: '/followed' }).click(),
  ])
  await opened.waitForLoadState()
  expect([opened.url(), await opened.title()]).toEqual([`${server.origin}/followed`, 'opener null, referrer ""'])
})

test('shows message content as text and executes none of it', async ({ skip }) => {
  const message = testMessage(1, {
    subject: `<script>alert('subject')</script> & "quotes" 'too'`,
    target: '"><img src=x onerror=alert(1)>@example.com',
    text: '\n</pre><script>alert(2)</script>\n<img src=x onerror=alert(3)>',
    html: `<script>alert(4)</script><img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='alert(5)'/>"><p onclick="alert(6)">press</p>`,
    headers: [['</th><script>alert(7)</script>', '</td><svg onload=alert(8)>']],
    raw: '</pre><iframe src="javascript:alert(9)"></iframe>',
  })
  await using server = await serveOutbox([message])
  await using visited = await visit(skip)
  const { page } = visited
  const open = (path: string) => page.goto(`${server.origin}/outbox${path}`)

  await open('')
  expect(await page.locator('.message-subject').innerText()).toBe(message.subject)
  expect(await page.locator('.message-target bdi').innerText()).toBe(message.target)
  await open(`/${message.id}/text`)
  expect(await page.locator('h1').innerText()).toBe(message.subject)
  expect(await page.locator('pre').textContent()).toBe(message.text)
  await open(`/${message.id}/headers`)
  expect(await page.locator('tbody th, tbody td').allInnerTexts()).toEqual(message.headers[0])
  await open(`/${message.id}/source`)
  expect(await page.locator('pre').textContent()).toBe(message.raw)
  expect(visited.errors).toEqual([])

  await open(`/${message.id}`)
  await page.frameLocator('iframe').getByText('press').click()
  await open(`/${message.id}/frame`)
  await page.getByText('press').click()
  expect(visited.errors.filter((error) => error.startsWith('dialog'))).toEqual([])
})

test('prevents other origins from framing or reading the outbox', async ({ skip }) => {
  const message = testMessage(1, { html: '<p>secret</p>' })
  await using server = await serveOutbox([message])
  const target = `http://localhost:${server.port}/outbox`
  const stranger = `<iframe src="${target}"></iframe><iframe src="${target}/${message.id}/frame"></iframe><script>
    fetch("${target}", { mode: "no-cors" }).then(() => { document.title = "fetched" }, () => { document.title = "blocked" })</script>`
  // `other` is on 127.0.0.1 and `target` is on localhost. For the browser, these are different sites.
  await using other = await serveOutbox([], undefined, (app) => {
    app.get('/stranger', (_request, response) => void response.type('html').send(stranger))
  })
  await using visited = await visit(skip)
  await visited.page.goto(`${other.origin}/stranger`, { waitUntil: 'load' })
  await visited.page.waitForFunction('document.title !== ""')
  expect(await visited.page.title()).toBe('blocked')
  for (const frame of visited.page.frames())
    expect(
      await frame
        .locator('body')
        .innerText()
        .catch(() => ''),
    ).not.toMatch(/secret|Message 1/)
})
