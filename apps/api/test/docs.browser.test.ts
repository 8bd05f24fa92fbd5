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

const themes = [
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
  ['dark', 390],
] as const

describe('the API reference in a browser', () => {
  for (const [colorScheme, width] of themes)
    it(`fits a ${colorScheme} window of ${width} pixels, without requests to other hosts and without errors`, async ({ skip }) => {
      await using visited = await visit(skip, { colorScheme, viewport: { width, height: 844 } })
      const { page, errors } = visited
      const urls: string[] = []
      page.on('request', (request) => urls.push(request.url()))
      await page.goto(`${server.url}/docs`)
      await page.getByText('Create a flow', { exact: true }).click()
      await page.getByText('Adds a flow to a project.').waitFor()
      await page.waitForLoadState('networkidle')
      expect(urls.filter((url) => !url.startsWith(`${server.url}/`) && !url.startsWith('data:'))).toEqual([])
      expect(errors).toEqual([])
      // No horizontal scrolling.
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      const [red = 0] = (await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')).match(/\d+/g)?.map(Number) ?? []
      expect(red > 128).toBe(colorScheme === 'light')
    })

  for (const colorScheme of ['light', 'dark'] as const)
    it(`can be used by keyboard with a visible focus in ${colorScheme}`, async ({ skip }) => {
      await using visited = await visit(skip, { colorScheme })
      const { page } = visited
      await page.goto(`${server.url}/docs`)
      await page.getByText('Create a project', { exact: true }).waitFor()
      const ofFocused = (expression: string) =>
        page.evaluate<string>(`(() => { const element = document.activeElement; return ${expression} })()`)
      const isOperation = async () => (await ofFocused('element.className')).includes('opblock-summary-control')
      for (let tabs = 0; tabs < 30 && !(await isOperation()); tabs += 1) await page.keyboard.press('Tab')
      expect(await ofFocused('element.textContent')).toContain('Create a project')
      expect(await ofFocused('getComputedStyle(element).outlineStyle')).not.toBe('none')
      await page.keyboard.press('Enter')
      await page.getByText('Creates a project without flows.').waitFor()
      expect(await ofFocused("element.getAttribute('aria-expanded')")).toBe('true')
    })

  it('sends a request with a key, which it does not store', async ({ skip }) => {
    await using visited = await visit(skip)
    const { page, errors } = visited
    await page.goto(`${server.url}/docs`)
    await page.getByRole('button', { name: 'Authorize' }).first().click()
    await page.locator('.modal-ux input').first().fill(server.keys.alice)
    await page.locator('.modal-ux').getByRole('button', { name: 'Apply credentials' }).first().click()
    await page.locator('.modal-ux').getByRole('button', { name: 'Close' }).first().click()
    await page.getByText('List projects', { exact: true }).click()
    await page.getByRole('button', { name: 'Try it out' }).click()
    const responded = page.waitForResponse((response) => response.url().includes('/v1/settings/projects'))
    await page.getByRole('button', { name: 'Execute' }).click()
    expect((await responded).status()).toBe(200)
    await page.locator('.live-responses-table').getByText('next_cursor').first().waitFor()
    expect(errors).toEqual([])
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')).not.toContain('fp_')
  })
})
