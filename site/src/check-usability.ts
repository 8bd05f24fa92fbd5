import type { Browser, Page } from 'playwright-core'

const timeoutMs = 120_000

/** Uses a part of the site. Returns whether it works. */
type Check = (page: Page, origin: string) => Promise<boolean>

const isDark = (page: Page): Promise<boolean> => page.evaluate('document.documentElement.classList.contains("dark")')

const checks: Readonly<Record<string, Check>> = {
  'The copy button copies the code.': async (page, origin) => {
    await page.goto(`${origin}/get-started`)
    const block = page.locator('div[class*="language-"]').first()
    await block.hover()
    await block.locator('button.copy').click()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    return copied.includes('npx pnpm start')
  },
  'The outline lists the headings of the page.': async (page, origin) => {
    await page.goto(`${origin}/operate/production`)
    await page.locator('.VPDocAsideOutline a', { hasText: 'PostgreSQL outages' }).first().click()
    return page.url().endsWith('#postgresql-outages')
  },
  'The search opens with a keyboard shortcut, and finds and opens a page.': async (page, origin) => {
    await page.goto(`${origin}/get-started`)
    await page.waitForFunction('document.querySelector("#app")?.__vue_app__ !== undefined')
    await page.keyboard.press('Control+k')
    await page.locator('#localsearch-input').fill('idempotency_key_reused')
    await page.locator('.VPLocalSearchBox .result').first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/problems/idempotency_key_reused*')
    return true
  },
  'The switch changes to dark mode, and the choice survives a reload.': async (page, origin) => {
    await page.goto(`${origin}/get-started`)
    const wasDark = await isDark(page)
    await page.locator('.VPNavBarAppearance .VPSwitchAppearance').click()
    await page.reload()
    return (await isDark(page)) !== wasDark
  },
  'The first Tab reaches the link that skips the navigation.': async (page, origin) => {
    await page.goto(`${origin}/get-started`)
    await page.waitForFunction('document.querySelector("#app")?.__vue_app__ !== undefined')
    await page.keyboard.press('Tab')
    return (await page.evaluate<string>('document.activeElement?.textContent ?? ""')).trim() === 'Skip to content'
  },
  'The menus open on a phone.': async (page, origin) => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`${origin}/get-started`)
    await page.locator('button.VPNavBarHamburger').click()
    await page.locator('.VPNavScreen a', { hasText: 'Reference' }).waitFor()
    await page.locator('button.VPNavBarHamburger').click()
    await page.locator('.VPLocalNav button.menu').click()
    await page.locator('.VPSidebar.open a', { hasText: 'Retry without sending twice' }).waitFor()
    return true
  },
}

/** Uses the site as readers do, and returns a line of text for each check that fails. */
export const findUsabilityIssues = async (browser: Browser, origin: string): Promise<string[]> => {
  const issues: string[] = []
  for (const [name, check] of Object.entries(checks)) {
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      permissions: ['clipboard-read', 'clipboard-write'],
      reducedMotion: 'reduce',
    })
    context.setDefaultTimeout(timeoutMs)
    try {
      if (!(await check(await context.newPage(), origin))) issues.push(`Failed: ${name}`)
    } catch (error) {
      issues.push(`Failed: ${name} ${(error as Error).message}`)
    } finally {
      await context.close()
    }
  }
  return issues
}
