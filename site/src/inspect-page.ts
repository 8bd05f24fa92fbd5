import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
// Long enough for a machine that is busy with other work.
const timeoutMs = 120_000

/** A window in which a page is inspected. */
export interface Window {
  readonly name: string
  readonly colorScheme: 'light' | 'dark'
  readonly width: number
  readonly height: number
}

/** The window sizes and color schemes that a check uses by default. */
export const windows: readonly Window[] = [
  { name: 'light window', colorScheme: 'light', width: 1440, height: 900 },
  { name: 'dark phone', colorScheme: 'dark', width: 390, height: 844 },
]

/** The window sizes and color schemes that a check uses with `--all-windows`. */
export const allWindows: readonly Window[] = [
  ...windows,
  { name: 'dark window', colorScheme: 'dark', width: 1280, height: 800 },
  { name: 'light phone', colorScheme: 'light', width: 390, height: 844 },
]

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary?: string }[]
}

const describeViolation = ({ id, nodes }: Violation): string => {
  const places = nodes.slice(0, 3).map(({ target }) => target.join(' '))
  return `${id} at ${places.join(', ')} (${nodes.length}): ${nodes[0]?.failureSummary?.replaceAll(/\s+/g, ' ')}`
}

const audit = async (page: Page): Promise<string[]> => {
  const violations = await page.evaluate<Violation[]>('axe.run().then(({ violations }) => violations)')
  return violations.map(describeViolation)
}

/** Inspects pages of a site, one after another. */
export interface Inspector {
  /**
   * Opens a page, shows it in each window, and returns its issues: console errors, requests to other hosts, violations of
   * accessibility rules, and horizontal scrolling.
   */
  inspect(address: string): Promise<string[]>
}

/** Creates an inspector that uses a browser page. */
export const createInspector = (page: Page, origin: string, shown: readonly Window[]): Inspector => {
  let issues: string[] = []
  page.setDefaultTimeout(timeoutMs)
  page.on('console', (message) => {
    if (message.type() === 'error') issues.push(message.text())
  })
  page.on('pageerror', (error) => issues.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) issues.push(`requests ${request.url()}`)
  })
  return {
    inspect: async (address) => {
      issues = []
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
      await page.goto(`${origin}${address}`, { waitUntil: 'load' })
      // Waits for VitePress's Vue app, which is mounted after the page's scripts have run.
      await page.waitForFunction('document.querySelector("#app")?.__vue_app__ !== undefined')
      await page.evaluate(axeSource)
      const found: string[] = []
      for (const { name, colorScheme, width, height } of shown) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        await page.setViewportSize({ width, height })
        await page.waitForFunction(`document.documentElement.classList.contains("dark") === ${colorScheme === 'dark'}`)
        const used = await page.evaluate<number>('document.documentElement.scrollWidth')
        if (used > width) found.push(`${name}: scrolls horizontally: ${used} px`)
        found.push(...(await audit(page)).map((violation) => `${name}: ${violation}`))
      }
      return [...issues, ...found].map((issue) => `${address}: ${issue}`)
    },
  }
}
