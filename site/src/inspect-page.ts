import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const desktop = { width: 1440, height: 900 }
// For a machine that is busy with other work.
const timeoutMs = 120_000
const phone = { width: 390, height: 844 }

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
   * Opens a page in a light window and on a dark phone, and returns its issues: console errors, requests to other hosts,
   * violations of accessibility rules, and horizontal scrolling on the phone.
   */
  inspect(address: string): Promise<string[]>
}

/** Creates an inspector that uses a browser page. */
export const createInspector = (page: Page, origin: string): Inspector => {
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
      await page.setViewportSize(desktop)
      await page.goto(`${origin}${address}`, { waitUntil: 'load' })
      // The scripts of the page have run when its app is mounted.
      await page.waitForFunction('document.querySelector("#app")?.__vue_app__ !== undefined')
      await page.evaluate(axeSource)
      const inWindow = await audit(page)
      await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
      await page.setViewportSize(phone)
      await page.waitForFunction('document.documentElement.classList.contains("dark")')
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      const onPhone = await audit(page)
      return [
        ...issues,
        ...inWindow.map((violation) => `light window: ${violation}`),
        ...onPhone.map((violation) => `dark phone: ${violation}`),
        ...(width > phone.width ? [`scrolls horizontally on a phone: ${width} px`] : []),
      ].map((issue) => `${address}: ${issue}`)
    },
  }
}
