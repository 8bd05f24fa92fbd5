import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createVisitor } from './support/browser.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const { visit, close } = await createVisitor()
let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(async () => {
  await close()
  await server[Symbol.asyncDispose]()
})

const contrast = readFileSync(new URL('./support/contrast.js', import.meta.url), 'utf8')

describe('start page', () => {
  it('can be operated with the keyboard and without JavaScript', async ({ skip }) => {
    await using visited = await visit(skip, { javaScriptEnabled: false })
    const { page } = visited
    await page.goto(`${server.url}/`)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    expect(await page.locator('a:focus-visible .name').innerText()).toBe('Outbox')
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Open the printed link' }).waitFor()
  })

  it.for(['light', 'dark'] as const)(
    'has WCAG AA contrast in the %s scheme and fits a width of 360 pixels',
    async (colorScheme, { skip }) => {
      await using visited = await visit(skip, { colorScheme, viewport: { width: 360, height: 640 } })
      const { page, errors } = visited
      await page.goto(`${server.url}/`)
      expect(await page.evaluate(contrast)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
      expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
        colorScheme === 'light' ? 'rgb(244, 245, 248)' : 'rgb(15, 17, 23)',
      )
      expect(errors).toEqual([])
    },
  )
})
