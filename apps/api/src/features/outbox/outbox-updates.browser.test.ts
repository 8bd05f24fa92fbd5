import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { createVisitor } from '../../../test/support/browser.ts'
import { type StoredMessage, serveOutbox, testMessage } from '../../../test/support/outbox-server.ts'

const { visit, close } = await createVisitor()
afterAll(close)

const manyMessages = (count: number): StoredMessage[] => Array.from({ length: count }, (_, index) => testMessage(index + 1))

/** Opens the list, and returns a function that adds a message and waits until the page has processed the next poll. */
const openList = async (page: Page, origin: string, stored: StoredMessage[]) => {
  await page.clock.install()
  await page.goto(`${origin}/outbox`)
  const arrived = page.getByRole('link', { name: 'Just arrived' })
  return {
    arrived,
    addMessage: async () => {
      stored.push(testMessage(90, { subject: 'Just arrived' }))
      await page.clock.runFor(3000)
      await arrived.waitFor()
    },
  }
}

const focusedElement = (page: Page): Promise<string> => page.evaluate('document.activeElement.tagName + "#" + document.activeElement.id')

test('keeps the visible messages in place when a message arrives in a scrolled window', async ({ skip }) => {
  const stored = manyMessages(40)
  await using server = await serveOutbox(stored)
  await using visited = await visit(skip)
  const { page } = visited
  const { addMessage } = await openList(page, server.origin, stored)
  const top = () => page.getByRole('link', { name: 'Message 25', exact: true }).evaluate((link) => link.getBoundingClientRect().top)
  const position = () => page.evaluate<number>('scrollY')
  await page.evaluate('scrollTo(0, 900)')
  const before = await top()
  await addMessage()
  // The browser rounds scroll positions to whole pixels.
  expect(Math.abs((await top()) - before)).toBeLessThanOrEqual(1)
  expect(await position()).toBeGreaterThan(900)

  // At the top of the page, the new message moves the others down.
  await page.evaluate('scrollTo(0, 0)')
  stored.push(testMessage(91, { subject: 'Arrived later' }))
  await page.clock.runFor(3000)
  await page.getByRole('link', { name: 'Arrived later' }).waitFor()
  expect(await position()).toBe(0)
})

test('does not replace the list while text in it is selected', async ({ skip }) => {
  const stored = manyMessages(3)
  await using server = await serveOutbox(stored)
  await using visited = await visit(skip)
  const { page } = visited
  const { arrived } = await openList(page, server.origin, stored)
  await page.evaluate("getSelection().selectAllChildren(document.querySelector('.message-origin code'))")
  stored.push(testMessage(90, { subject: 'Just arrived' }))
  await page.clock.runFor(3000)
  await page.getByText('Paused while text is selected').waitFor()
  expect(await page.evaluate('getSelection().toString()')).toMatch(/^prj_/)
  expect(await arrived.count()).toBe(0)

  await page.evaluate('getSelection().removeAllRanges()')
  await page.clock.runFor(3000)
  await arrived.waitFor()
  expect(await page.getByRole('status').innerText()).toBe('Live')
})

test('moves the keyboard focus to the content when the focused element leaves the page', async ({ skip }) => {
  const stored = manyMessages(50)
  await using server = await serveOutbox(stored)
  await using visited = await visit(skip)
  const { page } = visited
  const { addMessage } = await openList(page, server.origin, stored)
  await page.getByRole('link', { name: 'Message 1', exact: true }).focus()
  await addMessage()
  expect(await focusedElement(page)).toBe('MAIN#main')
})

test('moves the keyboard focus to the content when the first message replaces the focused instructions', async ({ skip }) => {
  const stored: StoredMessage[] = []
  await using server = await serveOutbox(stored)
  await using visited = await visit(skip)
  const { page } = visited
  const { addMessage } = await openList(page, server.origin, stored)
  await page.locator('.command').focus()
  await addMessage()
  expect(await focusedElement(page)).toBe('MAIN#main')
})

test('gives a message with an invisible subject a link, a heading and a title with a name', async ({ skip }) => {
  await using server = await serveOutbox([testMessage(1, { subject: '\u2003\u200b\u202e' })])
  await using visited = await visit(skip)
  const { page } = visited
  await page.goto(`${server.origin}/outbox`)
  await page.getByRole('link', { name: '(no subject)' }).click()
  expect(await page.locator('h1').innerText()).toBe('(no subject)')
  expect(await page.title()).toBe('(no subject) · Outbox · Flowpost')
})
