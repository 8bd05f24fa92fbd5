import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

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

/**
 * Opens visits in one browser, launched here. Where there is no Chromium every visit skips its test, and says so.
 * Call `close` after all tests.
 */
export const createVisitor = async (): Promise<{
  readonly visit: (skip: (note: string) => never, options?: BrowserContextOptions) => Promise<Visit>
  readonly close: () => Promise<void>
}> => {
  const executablePath = process.env['CHROMIUM_PATH']
  const browser = executablePath ? await launch(executablePath) : undefined
  return {
    close: async () => browser?.close(),
    visit: async (skip, options = {}) => {
      if (browser === undefined) return skip('Chromium is not on this machine; CHROMIUM_PATH can say where it is.')
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
    },
  }
}
