import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { describe, expect, vi } from 'vitest'
import { serveOutbox, testMessage } from './outbox-test-server.ts'
import { test } from './test-browser.ts'

/** A host that nobody should call: it counts even connections over which nothing is asked. */
const serveTripwire = async (): Promise<{ url: string; count: () => number } & AsyncDisposable> => {
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    socket.on('error', () => {}).end()
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
  'a form that sends itself': (url) => `<form action="${url}"></form><script>document.forms[0].submit()</script>`,
}

describe('reading a message connects to no other host', () => {
  test.for(Object.entries(bait))('with %s', async ([, markup], { visit }) => {
    await using trap = await serveTripwire()
    await using control = await serveTripwire()
    const message = testMessage(1, { html: markup(trap.url) })
    await using server = await serveOutbox([message], {}, (app) => {
      app.get('/unprotected', (_request, response) => void response.type('html').send(markup(control.url)))
    })
    await using visited = await visit()
    const { page } = visited
    await page.goto(`${server.origin}/outbox/${message.id}`, { waitUntil: 'networkidle' })
    await page.goto(`${server.origin}/outbox/${message.id}/frame`, { waitUntil: 'networkidle' })
    // The bait works where nothing forbids it; by then the message would long have called too.
    await page.goto(`${server.origin}/unprotected`).catch(() => {})
    await vi.waitFor(() => expect(control.count()).toBeGreaterThan(0), 10_000)
    expect(trap.count()).toBe(0)
  })
})

test('a link inside the framed message leads nowhere, and one in the text opens a tab of its own', async ({ visit }) => {
  await using trap = await serveTripwire()
  const message = testMessage(1, {
    html: `<a id=self href="${trap.url}">self</a> <a id=top target=_top href="${trap.url}">top</a> <a id=blank target=_blank href="${trap.url}">blank</a> <a id=script href="javascript:parent.alert(1)">script</a>`,
    text: `Go to ${trap.url}`,
  })
  await using server = await serveOutbox([message])
  await using visited = await visit()
  const { page } = visited
  await page.goto(`${server.origin}/outbox/${message.id}`)
  for (const id of ['script', 'blank', 'top', 'self']) await page.frameLocator('iframe').locator(`#${id}`).click()
  await page.waitForLoadState('networkidle')
  expect(page.url()).toBe(`${server.origin}/outbox/${message.id}`)
  expect(page.context().pages()).toHaveLength(1)

  await page.getByRole('link', { name: 'Text' }).click()
  const [opened] = await Promise.all([page.context().waitForEvent('page'), page.getByRole('link', { name: trap.url }).click()])
  expect(await opened.opener()).toBeNull()
})

test('what a sender wrote is shown as text, and runs nowhere', async ({ visit }) => {
  const message = testMessage(1, {
    subject: `<script>alert('subject')</script> & "quotes" 'too'`,
    target: '"><img src=x onerror=alert(1)>@example.com',
    text: '\n</pre><script>alert(2)</script>\n<img src=x onerror=alert(3)>',
    html: `<script>alert(4)</script><img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='alert(5)'/>"><p onclick="alert(6)">press</p>`,
    headers: [['</th><script>alert(7)</script>', '</td><svg onload=alert(8)>']],
    raw: '</pre><iframe src="javascript:alert(9)"></iframe>',
  })
  await using server = await serveOutbox([message])
  await using visited = await visit()
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
  expect(visited.faults).toEqual([])

  await open(`/${message.id}`)
  await page.frameLocator('iframe').getByText('press').click()
  await open(`/${message.id}/frame`)
  await page.getByText('press').click()
  expect(visited.faults.filter((fault) => fault.startsWith('dialog'))).toEqual([])
})

test('another origin cannot frame or read the outbox', async ({ visit }) => {
  const message = testMessage(1, { html: '<p>secret</p>' })
  await using server = await serveOutbox([message])
  const target = `http://localhost:${server.port}/outbox`
  const stranger = `<iframe src="${target}"></iframe><iframe src="${target}/${message.id}/frame"></iframe><script>
    fetch("${target}", { mode: "no-cors" }).then(() => { document.title = "fetched" }, () => { document.title = "refused" })</script>`
  // 127.0.0.1 is another site than localhost, though the same server answers.
  await using other = await serveOutbox([], {}, (app) => {
    app.get('/stranger', (_request, response) => void response.type('html').send(stranger))
  })
  await using visited = await visit()
  await visited.page.goto(`${other.origin}/stranger`, { waitUntil: 'load' })
  await visited.page.waitForFunction(() => document.title !== '')
  expect(await visited.page.title()).toBe('refused')
  for (const frame of visited.page.frames())
    expect(
      await frame
        .locator('body')
        .innerText()
        .catch(() => ''),
    ).not.toMatch(/secret|Message 1/)
})
