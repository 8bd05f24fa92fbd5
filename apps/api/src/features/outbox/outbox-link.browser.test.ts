import { afterAll, expect, test } from 'vitest'
import { createVisitor } from '../../../test/support/browser.ts'
import { serveOutbox, testMessage } from '../../../test/support/outbox-server.ts'
import { createOutboxSession } from './outbox-session.ts'

const { visit, close } = await createVisitor()
afterAll(close)

const messages = () => [testMessage(1, { html: '<h1>Hello</h1>' })]

test('opens every view with the link, leaves no token in the address, and hides the cookie from scripts', async ({ skip }) => {
  const session = createOutboxSession()
  await using server = await serveOutbox(messages(), { mode: 'link', session })
  await using visited = await visit(skip)
  const { page } = visited
  await page.goto(`http://localhost:${server.port}/outbox?token=${session.token}`)
  expect(page.url()).toBe(`http://localhost:${server.port}/outbox/`)
  await page.getByRole('link', { name: 'Message 1', exact: true }).click()
  expect(await page.frameLocator('iframe').getByRole('heading').innerText()).toBe('Hello')
  await page.getByRole('link', { name: 'Open without the frame' }).click()
  expect(await page.getByRole('heading').innerText()).toBe('Hello')
  await page.goBack()
  await page.getByRole('link', { name: 'Source' }).click()
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download .eml' }).click()])
  expect(await download.failure()).toBeNull()
  expect(await page.evaluate('document.cookie')).toBe('')
  expect(visited.errors).toEqual([])
})

test('opens from a link on another site, with the token and later without it', async ({ skip }) => {
  const session = createOutboxSession()
  await using server = await serveOutbox(messages(), { mode: 'link', session })
  const outbox = `http://localhost:${server.port}/outbox`
  // `other` is on 127.0.0.1 and `outbox` is on localhost. For the browser, these are different sites.
  await using other = await serveOutbox([], undefined, (app) => {
    app.get('/links', (_request, response) => {
      response.type('html').send(`<a href="${outbox}">plain</a> <a href="${outbox}?token=${session.token}">printed</a>`)
    })
  })
  await using visited = await visit(skip)
  const { page } = visited
  for (const link of ['printed', 'plain']) {
    await page.goto(`${other.origin}/links`)
    await page.getByText(link).click()
    await page.getByRole('heading', { name: 'Captured messages' }).waitFor()
  }
})

test('shows instructions after one reload to a browser without the cookie, even from another site', async ({ skip }) => {
  const session = createOutboxSession()
  await using server = await serveOutbox(messages(), { mode: 'link', session })
  let requests = 0
  await using other = await serveOutbox([], undefined, (app) => {
    app.get('/links', (_request, response) => {
      response.type('html').send(`<a href="http://localhost:${server.port}/outbox">plain</a>`)
    })
  })
  await using visited = await visit(skip)
  const { page } = visited
  page.on('request', (request) => {
    requests += Number(request.isNavigationRequest() && request.url().includes('/outbox'))
  })
  await page.goto(`${other.origin}/links`)
  await page.getByText('plain').click()
  await page.getByRole('heading', { name: 'Open the printed link' }).waitFor()
  await expect.poll(() => requests).toBe(2)
  await page.waitForLoadState('networkidle')
  expect(requests).toBe(2)
})

test('replaces an open list with instructions after a server restart', async ({ skip }) => {
  const session = createOutboxSession()
  // The restarted process has a new token and cookie, so the browser's cookie is invalid.
  const restarted = createOutboxSession()
  let current = session
  const rule = {
    acceptsToken: (token: string) => current.acceptsToken(token),
    acceptsCookie: (value: string) => current.acceptsCookie(value),
  }
  await using server = await serveOutbox(messages(), { mode: 'link', session: { ...session, ...rule } })
  await using visited = await visit(skip)
  const { page } = visited
  await page.clock.install()
  await page.goto(`${server.origin}/outbox?token=${session.token}`)
  await page.getByRole('heading', { name: 'Captured messages' }).waitFor()
  current = restarted
  await page.clock.runFor(3000)
  await page.getByRole('heading', { name: 'Open the printed link' }).waitFor()
})
