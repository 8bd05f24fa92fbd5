import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { test as base } from 'vitest'

const candidates = [process.env['CHROMIUM_PATH'], '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

const launch = (executablePath: string): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })

/** A page in a fresh profile, and what went wrong in it: dialogs, uncaught errors, and errors of the console (a refused load is one). */
export interface Visit extends AsyncDisposable {
  readonly page: Page
  readonly faults: readonly string[]
}

/** Opens a {@link Visit}. */
export type OpenVisit = (options?: BrowserContextOptions) => Promise<Visit>

/** A test with `visit`. It skips itself where there is no Chromium. */
export const test = base
  .extend('browser', { scope: 'file' }, async ({}, { onCleanup }): Promise<Browser | null> => {
    const executablePath = candidates.find((path) => path !== undefined && existsSync(path))
    if (executablePath === undefined) return null
    const browser = await launch(executablePath)
    onCleanup(() => browser.close())
    return browser
  })
  .extend('visit', async ({ browser, skip }): Promise<OpenVisit> => {
    if (browser === null) return skip('Chromium is not on this machine; set CHROMIUM_PATH to where it is.')
    return async (options = {}) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, timezoneId: 'UTC', locale: 'en-GB', ...options })
      const page = await context.newPage()
      const faults: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error') faults.push(message.text())
      })
      page.on('pageerror', (error) => faults.push(error.message))
      page.on('dialog', (dialog) => {
        faults.push(`dialog: ${dialog.message()}`)
        void dialog.dismiss()
      })
      return { page, faults, [Symbol.asyncDispose]: () => context.close() }
    }
  })
