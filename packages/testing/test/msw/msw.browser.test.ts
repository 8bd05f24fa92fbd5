import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const executablePath = process.env['CHROMIUM_PATH']
const notFound = 'Chromium was not found. Set CHROMIUM_PATH to its path.'

/** Bundles a script for browsers. `msw` is the package name of the MSW version. */
const bundle = async (contents: string, msw: string): Promise<string> => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    format: 'iife',
    platform: 'browser',
    alias: { msw },
    // The base directory for resolving aliases.
    absWorkingDir: root,
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}

/** The script of the page: the mock behind the service worker, and a client that calls the global `fetch`. */
const pageScript = `
import { createFlowpost } from '@flowpost/client'
import { setupWorker } from 'msw/browser'
import { createFlowpostMock } from './src/index.ts'
import { flowpostHandlers } from './src/msw.ts'
const baseUrl = 'https://flowpost.example.com'
const mock = createFlowpostMock({ baseUrl })
const client = (options) =>
  createFlowpost({ baseUrl, apiKey: mock.apiKey, random: () => 0, dangerouslyAllowBrowser: true, ...options })
Object.assign(globalThis, { mock, client, worker: setupWorker(...flowpostHandlers(mock)) })
`

/** The script of a worker: the mock without Mock Service Worker. */
const workerScript = `
import { createFlowpostMock } from './src/index.ts'
const mock = createFlowpostMock()
const { project_id } = mock.seed.flow()
mock.client().notifications.send({ project_id, subject: 'a', message: 'b' }).settled()
  .then(({ status }) => postMessage([status, mock.outbox.length, typeof document]), (error) => postMessage(String(error)))
`

const serve = async (files: Readonly<Record<string, string>>): Promise<string> => {
  const server = createServer((request, response) => {
    const body = files[request.url ?? '']
    const type = request.url === '/' ? 'text/html' : 'text/javascript'
    response.writeHead(body === undefined ? 404 : 200, { 'Content-Type': type }).end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

describe('the mock in a browser', () => {
  let browser: Browser | undefined
  beforeAll(async () => {
    if (!executablePath) return
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--no-first-run'] })
  }, 60_000)
  afterAll(() => browser?.close())

  const open = async (opened: Browser, files: Readonly<Record<string, string>>) => {
    const context = await opened.newContext()
    onTestFinished(() => context.close())
    const page = await context.newPage()
    const pageErrors: string[] = []
    page.on('pageerror', (error) => pageErrors.push(error.message))
    await page.goto(await serve({ '/': '<link rel=icon href=data:,><script src=/page.js></script>', ...files }))
    return { page, pageErrors }
  }

  it.for(['msw', 'msw2'])('responds to a client behind the service worker of %s, including faults', async (msw, { skip }) => {
    if (browser === undefined) return skip(notFound)
    const serviceWorker = await readFile(new URL(import.meta.resolve(`${msw}/mockServiceWorker.js`)), 'utf8')
    const files = { '/page.js': await bundle(pageScript, msw), '/mockServiceWorker.js': serviceWorker }
    const { page, pageErrors } = await open(browser, files)
    await page.evaluate('worker.start({ quiet: true }).then(() => {})')
    expect(await page.evaluate('navigator.serviceWorker.controller.scriptURL')).toBe(`${page.url()}mockServiceWorker.js`)

    const send = "client().notifications.send({ project_id: mock.seed.flow().project_id, subject: 'a', message: 'b' })"
    expect(await page.evaluate(`${send}.settled().then(({ status }) => status)`)).toBe('sent')
    expect(await page.evaluate('mock.outbox.length')).toBe(1)
    const caught = '(error) => [error.name, error.status, error.code]'
    expect(await page.evaluate(`client().projects.get('prj_00000000000000000000000000').catch(${caught})`)).toEqual([
      'FlowpostError',
      404,
      'not_found',
    ])

    await page.evaluate("mock.reset(), mock.faults.next('notifications.send', 'commitThenDrop')")
    await page.evaluate(`${send}.then(() => {})`)
    expect(await page.evaluate('[mock.requests.map(({ status }) => status), mock.outbox.length]')).toEqual([[null, 202], 1])
    expect(pageErrors).toEqual([])
  })

  it('runs in a worker', async ({ skip }) => {
    if (browser === undefined) return skip(notFound)
    const page = "globalThis.answer = new Promise((resolve) => { new Worker('/worker.js').onmessage = ({ data }) => resolve(data) })"
    const { page: opened, pageErrors } = await open(browser, { '/page.js': page, '/worker.js': await bundle(workerScript, 'msw') })
    expect(await opened.evaluate('answer')).toEqual(['sent', 1, 'undefined'])
    expect(pageErrors).toEqual([])
  })
})
