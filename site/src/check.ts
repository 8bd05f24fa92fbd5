// Runs `pnpm docs:check`: opens the pages of the built site in Chromium, in a light window and on a dark phone, and
// uses the site with the mouse and the keyboard. With `--short`, opens one page of each kind; with `--all-windows`,
// shows each page in a dark window and on a light phone too. Skips the check if there is no Chromium.
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { findChromium } from '../../scripts/chromium.ts'
import { findUsabilityIssues } from './check-usability.ts'
import { docsBase } from './docs-base.ts'
import { allWindows, createInspector, windows } from './inspect-page.ts'
import { serveSite } from './serve.ts'

const maxFirstPageBytes = 200_000
const folder = fileURLToPath(new URL('../dist', import.meta.url))
const kinds = [
  '/',
  '/get-started',
  '/concepts/states',
  '/operate/production',
  '/reference/api/flows',
  '/reference/cli-commands',
  '/reference/log',
  '/reference/packages/testing',
  '/problems/not_found',
  '/404',
]

const addresses = process.argv.includes('--short')
  ? kinds
  : globSync('**/*.html', { cwd: folder })
      .map((file) => `/${file.replace(/(?:^|(?<=\/))index\.html$/, '').replace(/\.html$/, '')}`)
      .sort()

const executablePath = findChromium()
if (executablePath === undefined) {
  console.log('Skipped: set CHROMIUM_PATH to check the pages in a browser.')
  process.exit()
}
if (addresses.length === 0) throw new Error('There is no built site: run `pnpm docs:build` first.')

await using server = await serveSite(folder, docsBase)
const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
})
try {
  const issues: string[] = []
  const first = await browser.newPage()
  await first.goto(`${server.url}/`, { waitUntil: 'networkidle' })
  await first.close()
  const bytes = server.takeBytes()
  if (bytes > maxFirstPageBytes) issues.push(`/: the first page transfers ${bytes} bytes, more than the limit of ${maxFirstPageBytes}.`)

  issues.push(...(await findUsabilityIssues(browser, server.url)))

  const remaining = [...addresses]
  const inspectRemaining = async (): Promise<void> => {
    const inspector = createInspector(await browser.newPage(), server.url, process.argv.includes('--all-windows') ? allWindows : windows)
    for (let address = remaining.shift(); address !== undefined; address = remaining.shift())
      issues.push(...(await inspector.inspect(address)))
  }
  await Promise.all([inspectRemaining(), inspectRemaining()])
  console.log(`Checked ${addresses.length} pages. The first page transfers ${Math.round(bytes / 1000)} KB.`)
  if (issues.length > 0) {
    console.error(issues.join('\n'))
    process.exitCode = 1
  }
} finally {
  await browser.close()
}
