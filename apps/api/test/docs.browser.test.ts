import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
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

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Returns the accessibility violations that axe finds, each with its first element. */
const auditPage = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe)
  return page.evaluate("axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))")
}

const focused = (page: Page, expression: string): Promise<string> =>
  page.evaluate(`(() => { const element = document.activeElement; return ${expression} })()`)

const themes = [
  ['light', 1280, 'docs/flows'],
  ['dark', 1280, 'docs'],
  ['light', 390, 'docs/problems/validation_failed'],
  ['dark', 375, 'docs/projects'],
] as const

describe('the API reference in a browser', () => {
  it.for(themes)('is accessible and fits a %s window of %i pixels: %s', async ([colorScheme, width, path], { skip }) => {
    await using visited = await visit(skip, { colorScheme, viewport: { width, height: 844 }, reducedMotion: 'reduce' })
    const { page, errors } = visited
    const urls: string[] = []
    page.on('request', (request) => urls.push(request.url()))
    await page.goto(`${server.url}/${path}`)
    await page.evaluate("for (const details of document.querySelectorAll('main details')) details.open = true")
    expect(await auditPage(page)).toEqual([])
    if (width < 500) {
      await page.getByRole('button', { name: 'Menu' }).click()
      await page.getByText('Event endpoints', { exact: true }).first().click()
      expect(await auditPage(page)).toEqual([])
    }
    expect(urls.filter((url) => !url.startsWith(`${server.url}/`) && !url.startsWith('data:'))).toEqual([])
    expect(errors).toEqual([])
    // The page must not scroll horizontally.
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    // The name stays inside the banner, also if it needs two lines.
    expect(await page.evaluate("document.querySelector('.brand').getBoundingClientRect().top")).toBeGreaterThanOrEqual(0)
    const [red = 0] = (await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')).match(/\d+/g)?.map(Number) ?? []
    expect(red > 128).toBe(colorScheme === 'light')
  })

  it('can be searched, read and copied with the keyboard', async ({ skip }) => {
    await using visited = await visit(skip, { permissions: ['clipboard-read', 'clipboard-write'], reducedMotion: 'reduce' })
    const { page, errors } = visited
    await page.goto(`${server.url}/docs`)
    await page.keyboard.press('/')
    await page.keyboard.type('nothing has this name')
    await page.getByText('0 operations').waitFor({ state: 'attached' })
    await page.keyboard.press('Escape')
    expect(await focused(page, 'element.value')).toBe('')
    await page.keyboard.type('post notifications send a')
    expect(await page.getByRole('status').textContent()).toBe('2 operations')
    await page.keyboard.press('ArrowDown')
    expect(await focused(page, 'element.textContent')).toBe('Send a notificationPOST')
    expect(await focused(page, 'getComputedStyle(element).outlineStyle')).toBe('solid')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${server.url}/docs/notifications#notifications-send`)
    const tabTo = async (text: string): Promise<void> => {
      for (let tabs = 0; tabs < 80; tabs += 1) {
        await page.keyboard.press('Tab')
        if ((await focused(page, 'element.textContent')) === text) return
      }
      throw new Error(`Tab does not reach ${text}.`)
    }
    const clipboard = () => page.evaluate<string>('navigator.clipboard.readText()')
    await tabTo('TypeScript')
    await tabTo('Copy')
    await page.keyboard.press('Enter')
    await page.getByText('Copied').waitFor()
    expect(await clipboard()).toMatch(new RegExp(`^curl "${server.url}/v1/notifications" \\\\\n`))
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    expect(await focused(page, 'element.ariaPressed')).toBe('true')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect.poll(clipboard).toContain('await flowpost.notifications.send(')
    expect(errors).toEqual([])
  })

  it('keeps the chosen theme, and shows URLs with the path prefix of a proxy', async ({ skip }) => {
    await using visited = await visit(skip, { colorScheme: 'light', reducedMotion: 'reduce' })
    const { page, errors } = visited
    const proxy = 'http://proxy.test/flowpost'
    await page.route(`${proxy}/**`, async (route) => {
      await route.fulfill({ response: await route.fetch({ url: route.request().url().replace(proxy, server.url) }) })
    })
    await page.goto(`${proxy}/docs`)
    await page.getByRole('button', { name: 'Dark' }).click()
    await page.getByText('List projects', { exact: true }).last().click()
    await page.waitForURL(`${proxy}/docs/projects#projects-list`)
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(15, 17, 23)')
    expect(await page.locator('#projects-list pre').first().textContent()).toMatch(
      /^curl "http:\/\/proxy\.test\/flowpost\/v1\/settings\/projects" /,
    )
    // Without HTTPS, the page has no clipboard API, so the button uses its fallback.
    await page.locator('#projects-list .copy').first().click()
    await page.getByText('Copied').waitFor()
    await page.locator('#search').focus()
    await page.keyboard.press('Control+V')
    expect(await focused(page, 'element.value')).toContain('curl "http://proxy.test/flowpost/v1/settings/projects"')
    // Without HTTPS, the browser also ignores one header, and logs an error about it.
    expect(errors.filter((error) => !error.startsWith('The Cross-Origin-Opener-Policy header has been ignored'))).toEqual([])
  })

  it('keeps the focus out of the content that the open menu covers', async ({ skip }) => {
    await using visited = await visit(skip, { viewport: { width: 320, height: 568 }, reducedMotion: 'reduce' })
    const { page } = visited
    await page.goto(`${server.url}/docs/flows`)
    const isInContent = (): Promise<boolean> => page.evaluate('document.activeElement.closest("main") !== null')
    const menu = page.locator('#menu')
    await menu.click()
    await page.locator('nav summary').last().focus()
    for (let step = 0; step < 4; step += 1) {
      await page.keyboard.press('Tab')
      expect(await isInContent()).toBe(false)
    }
    // The skip link closes the menu, so that its target can get the focus.
    await page.getByRole('link', { name: 'Skip to content' }).focus()
    await page.keyboard.press('Enter')
    expect(await isInContent()).toBe(true)
    expect(await menu.getAttribute('aria-expanded')).toBe('false')
    await menu.click()
    await page.setViewportSize({ width: 1280, height: 568 })
    await expect.poll(() => menu.getAttribute('aria-expanded')).toBe('false')
    await page.getByRole('button', { name: 'Copy' }).first().focus()
    expect(await isInContent()).toBe(true)
  })

  it('marks the current page, operation and language with forced colors', async ({ skip }) => {
    await using visited = await visit(skip, { forcedColors: 'active' })
    const { page } = visited
    const style = (selector: string, property: string): Promise<string> =>
      page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).${property}`)
    const differs = async (property: string, current: string, other: string): Promise<void> =>
      expect(await style(current, property), current).not.toBe(await style(other, property))
    await page.goto(`${server.url}/docs/problems`)
    await differs('backgroundColor', '.nav-page[aria-current]', '.nav-page:not([aria-current])')
    await page.goto(`${server.url}/docs/flows`)
    await differs('backgroundColor', '[data-select-language][aria-pressed=true]', '[data-select-language][aria-pressed=false]')
    await differs('borderInlineStartColor', 'nav [data-current]', 'nav details[open] a:not([data-current])')
  })

  it('is readable without JavaScript', async ({ skip }) => {
    await using visited = await visit(skip, { javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
    const { page } = visited
    await page.goto(`${server.url}/docs/providers`)
    await page.getByText('curl "$FLOWPOST_BASE_URL/v1/settings/providers"').waitFor()
    await page.getByText('flowpost.providers.list(').first().waitFor()
    expect(await page.locator('button:visible, input:visible').count()).toBe(0)
    await page.locator('nav').getByText('Flows', { exact: true }).click()
    await page.getByRole('link', { name: 'Create a flow' }).click()
    await page.getByRole('heading', { name: 'Create a flow' }).waitFor()
  })
})
