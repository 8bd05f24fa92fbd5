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

/** A page in a new browser profile. `errors` lists dialogs, uncaught errors and console errors, including those for blocked resources. */
export interface Visit extends AsyncDisposable {
  readonly page: Page
  readonly errors: readonly string[]
}

/** Launches a browser. Without Chromium, every visit skips its test. Call `close` after all tests. */
export const createVisitor = async (): Promise<{
  readonly visit: (skip: (note: string) => never, options?: BrowserContextOptions) => Promise<Visit>
  readonly close: () => Promise<void>
}> => {
  const executablePath = process.env['CHROMIUM_PATH']
  const browser = executablePath ? await launch(executablePath) : undefined
  return {
    close: async () => browser?.close(),
    visit: async (skip, options = {}) => {
      if (browser === undefined) return skip('Set CHROMIUM_PATH to run this test.')
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, timezoneId: 'UTC', locale: 'en-GB', ...options })
      const page = await context.newPage()
      const errors: string[] = []
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text())
      })
      page.on('pageerror', (error) => errors.push(error.message))
      page.on('dialog', (dialog) => {
        errors.push(`dialog: ${dialog.message()}`)
        void dialog.dismiss()
      })
      return { page, errors, [Symbol.asyncDispose]: () => context.close() }
    },
  }
}
