import { readFileSync } from 'node:fs'
import type { Page, Route } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { createVisitor } from '../../../test/support/browser.ts'
import { type StoredMessage, serveOutbox, testId, testMessage } from '../../../test/support/outbox-server.ts'

const { visit, close } = await createVisitor()
afterAll(close)

const messages = (): StoredMessage[] => [
  testMessage(1, { html: '<h1>Hello</h1>', text: 'Hello https://a.example/x', target: `${'long'.repeat(20)}@example.com` }),
  testMessage(2, { kind: 'chat', sourceType: 'slack', target: 'C024BE91L', headers: [], text: 'word'.repeat(100), raw: '{"text":"x"}' }),
  testMessage(3, { subject: 'subject'.repeat(30), headers: [['X-Long', 'value'.repeat(100)]], raw: 'source'.repeat(100) }),
]
const everyPage = [
  '',
  '?source_type=slack',
  '?before=dlv_0',
  `/${testId('dlv', 1)}`,
  `/${testId('dlv', 1)}/text`,
  `/${testId('dlv', 2)}`,
  `/${testId('dlv', 2)}/source`,
  `/${testId('dlv', 3)}/headers`,
  `/${testId('dlv', 3)}/source`,
]

test('opens every page without errors or blocked loads', async ({ skip }) => {
  await using server = await serveOutbox(messages())
  await using visited = await visit(skip)
  for (const path of everyPage) await visited.page.goto(`${server.origin}/outbox${path}`)
  await visited.page.waitForLoadState('networkidle')
  expect(visited.errors).toEqual([])
})

test('works without JavaScript', async ({ skip }) => {
  await using server = await serveOutbox(messages())
  await using visited = await visit(skip, { javaScriptEnabled: false })
  const { page } = visited
  await page.goto(`${server.origin}/outbox`)
  await page.getByRole('link', { name: 'Message 1', exact: true }).click()
  expect(await page.frameLocator('iframe').getByRole('heading').innerText()).toBe('Hello')
  for (const view of ['Text', 'Headers', 'Source']) {
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: view }).click()
    expect(await page.locator('[aria-current=page]').innerText()).toBe(view)
  }
  await page.getByRole('link', { name: 'Captured messages' }).click()
  await page.getByRole('link', { name: 'Only slack' }).click()
  expect(await page.getByRole('listitem').count()).toBe(1)
  await page.getByRole('link', { name: 'Show all' }).click()
  expect(await page.getByRole('listitem').count()).toBe(3)
})

test("shows new messages in the browser's time zone and preserves the keyboard focus", async ({ skip }) => {
  const stored = messages()
  const server = await serveOutbox(stored)
  await using visited = await visit(skip, { timezoneId: 'Asia/Tokyo' })
  const { page } = visited
  await page.clock.install()
  await page.goto(`${server.origin}/outbox`)
  expect(await page.locator('time').last().innerText()).toContain('18:01:00')
  await page.getByRole('link', { name: 'Message 1', exact: true }).focus()

  stored.push(testMessage(4, { subject: 'Just arrived' }))
  await page.clock.runFor(3000)
  await page.getByRole('link', { name: 'Just arrived' }).waitFor()
  expect(await page.locator('time').first().innerText()).toContain('18:04:00')
  expect(await page.evaluate('document.activeElement?.textContent')).toBe('Message 1')
  expect(await page.getByRole('status').innerText()).toBe('Live')

  await server[Symbol.asyncDispose]()
  await page.clock.runFor(3000)
  await page.getByText('Server not reachable').waitFor()
})

test.for(['Only slack', 'Older →'])('preserves the keyboard focus on the link "%s" when a message arrives', async (name, { skip }) => {
  const stored = Array.from({ length: 60 }, (_, index) => testMessage(index + 1, { sourceType: index === 59 ? 'slack' : 'smtp' }))
  await using server = await serveOutbox(stored)
  await using visited = await visit(skip)
  const { page } = visited
  await page.clock.install()
  await page.goto(`${server.origin}/outbox`)
  await page.getByRole('link', { name }).focus()

  stored.push(testMessage(61, { subject: 'Just arrived' }))
  await page.clock.runFor(3000)
  await page.getByRole('link', { name: 'Just arrived' }).waitFor()
  expect(await page.evaluate('document.activeElement?.textContent')).toBe(name)
})

test('reports a request without a response, a temporary error and a foreign page, and then continues', async ({ skip }) => {
  await using server = await serveOutbox(messages())
  await using visited = await visit(skip)
  const { page } = visited
  await page.clock.install()
  // The clock does not control `AbortSignal.timeout`, but it controls `setTimeout`.
  await page.addInitScript(`AbortSignal.timeout = (ms) => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(new DOMException('Too slow', 'TimeoutError')), ms)
    return controller.signal
  }`)
  await page.goto(`${server.origin}/outbox`)
  const polls: Route[] = []
  await page.route('**/outbox', (route) => void polls.push(route))
  const state = page.getByRole('status')
  const nextPoll = async () => {
    await page.clock.runFor(3000)
    await expect.poll(() => polls.length).toBe(1)
    return polls.shift() as Route
  }
  const becomes = (text: string) => expect.poll(() => state.innerText()).toBe(text)

  await nextPoll()
  expect(await state.innerText()).toBe('Live')
  await page.clock.runFor(10_000)
  await becomes('Server not reachable')
  for (const response of [{ status: 429 }, { contentType: 'text/html', body: '<h1>Sign in</h1>' }]) {
    await (await nextPoll()).continue()
    await becomes('Live')
    await (await nextPoll()).fulfill(response)
    await becomes('Not updating')
  }
  await (await nextPoll()).continue()
  await becomes('Live')
})

test('shows a message that is captured after a newer one, and removes an erased message', async ({ skip }) => {
  const stored = [testMessage(1), testMessage(3)]
  await using server = await serveOutbox(stored)
  await using visited = await visit(skip)
  const { page } = visited
  await page.clock.install()
  await page.goto(`${server.origin}/outbox`)
  const subjects = () => page.locator('.message-subject').allInnerTexts()

  stored.push(testMessage(2))
  await page.clock.runFor(3000)
  await page.getByRole('link', { name: 'Message 2' }).waitFor()
  expect(await subjects()).toEqual(['Message 3', 'Message 2', 'Message 1'])

  stored.shift()
  await page.clock.runFor(3000)
  await page.getByRole('link', { name: 'Message 1' }).waitFor({ state: 'detached' })
  expect(await subjects()).toEqual(['Message 3', 'Message 2'])
})

test('does not replace an unchanged list', async ({ skip }) => {
  await using server = await serveOutbox(messages())
  await using visited = await visit(skip, { timezoneId: 'Asia/Tokyo' })
  const { page } = visited
  await page.clock.install()
  await page.goto(`${server.origin}/outbox`)
  const list = await page.locator('#messages').elementHandle()
  // Waits for a second poll, because the page starts it only after it has processed the response to the first poll.
  for (let poll = 0; poll < 2; poll += 1) {
    const polled = page.waitForRequest((request) => request.url().endsWith('/outbox'))
    await page.clock.runFor(3000)
    await (await polled).response()
  }
  expect(await list?.evaluate((element) => element.isConnected)).toBe(true)
})

test('does not poll for new messages while an older page of the list is open', async ({ skip }) => {
  await using server = await serveOutbox(messages())
  await using visited = await visit(skip)
  const requests: string[] = []
  await visited.page.clock.install()
  await visited.page.goto(`${server.origin}/outbox?before=${testId('dlv', 3)}`, { waitUntil: 'networkidle' })
  visited.page.on('request', (request) => requests.push(request.url()))
  await visited.page.clock.runFor(30_000)
  expect(requests).toEqual([])
})

test('works with the keyboard alone', async ({ skip }) => {
  await using server = await serveOutbox(messages())
  await using visited = await visit(skip)
  const { page } = visited
  const focused = (): Promise<string | null | undefined> => page.evaluate('document.activeElement?.textContent?.trim()')
  await page.goto(`${server.origin}/outbox/${testId('dlv', 1)}/text`)
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('Skip to content')
  await page.keyboard.press('Enter')
  const reached: unknown[] = []
  for (let step = 0; step < 7; step += 1) {
    await page.keyboard.press('Tab')
    reached.push(await focused())
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
  }
  expect(reached).toEqual(['← Captured messages', 'HTML', 'Text', 'Headers', 'Source', 'Hello https://a.example/x', 'https://a.example/x'])
})

test('marks the current view with forced colors', async ({ skip }) => {
  await using server = await serveOutbox(messages())
  await using visited = await visit(skip, { forcedColors: 'active' })
  const { page } = visited
  await page.goto(`${server.origin}/outbox/${testId('dlv', 1)}`)
  const lineOf = (selector: string): Promise<string> =>
    page.evaluate(`getComputedStyle(document.querySelector('.tabs a${selector}')).borderBottomColor`)
  const canvas = await page.evaluate("(document.body.style.color = 'Canvas', getComputedStyle(document.body).color)")
  expect(await lineOf(':not([aria-current])')).toBe(canvas)
  expect(await lineOf('[aria-current]')).not.toBe(canvas)
})

/** Returns the texts on the page that have less contrast with their background than WCAG level AA requires. */
const lowContrast = (page: Page): Promise<string[]> =>
  page.evaluate(readFileSync(new URL('../../../test/support/contrast.js', import.meta.url), 'utf8'))

describe.for(['light', 'dark'] as const)('in %s', (colorScheme) => {
  test('has sufficient contrast and fits a screen of 360 pixels', async ({ skip }) => {
    await using server = await serveOutbox(messages())
    await using empty = await serveOutbox([])
    await using visited = await visit(skip, { colorScheme, viewport: { width: 360, height: 640 } })
    const { page } = visited
    for (const url of [
      ...everyPage.map((path) => `${server.origin}/outbox${path}`),
      `${empty.origin}/outbox`,
      `${empty.origin}/outbox/dlv_unknown`,
    ]) {
      await page.goto(url)
      expect(await lowContrast(page), url).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth'), url).toBe(360)
    }
    const canvas = await page.evaluate('getComputedStyle(document.body).backgroundColor')
    expect(canvas).toBe(colorScheme === 'light' ? 'rgb(244, 245, 248)' : 'rgb(15, 17, 23)')
  })
})
