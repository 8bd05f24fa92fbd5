import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { build } from 'esbuild'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { installPacked } from './support/packed.ts'

const executablePath = process.env['CHROMIUM_PATH']

let folder: string | undefined
let script = ''
let browser: Browser | undefined

// Bundles the page's script in a project that has the packed package installed.
beforeAll(async () => {
  if (!executablePath) return
  const packed = await installPacked()
  folder = packed.folder
  const contents = "import * as client from '@flowpost/client'\nObject.assign(globalThis, client)"
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: packed.project },
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    write: false,
  })
  script = outputFiles[0]?.text ?? ''
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--no-first-run'] })
}, 180_000)

afterAll(async () => {
  await browser?.close()
  if (folder !== undefined) await rm(folder, { recursive: true })
})

const listen = async (handler: RequestListener): Promise<string> => {
  const server = createServer(handler).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The minimum CORS headers that the README documents. */
const cors = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, POST, PUT, DELETE',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match',
  'Access-Control-Expose-Headers': 'ETag, Retry-After, X-Request-Id',
}

it('runs bundled on a page from another origin, but only with dangerouslyAllowBrowser', async ({ skip }) => {
  if (browser === undefined) return skip('Chromium was not found. Set CHROMIUM_PATH to its path.')
  const keys: (string | undefined)[] = []
  const api = await listen((request, response) => {
    if (request.method === 'OPTIONS') return void response.writeHead(204, cors).end()
    keys.push(request.headers['idempotency-key'] as string | undefined)
    const headers = { ...cors, 'Content-Type': 'application/json', 'Retry-After': '0', 'X-Request-Id': `req_${keys.length}` }
    // The first request is retried. The third request and the request from a worker fail.
    const status = [503, 201, 404, 404][keys.length - 1] ?? 500
    response.writeHead(status, headers).end(JSON.stringify(status === 201 ? { id: 'prj_1', name: 'billing' } : {}))
  })
  const origin = await listen((request, response) => {
    if (request.url === '/worker.js') return void response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(script)
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<link rel=icon href=data:,><script>${script}</script>`)
  })

  const page = await browser.newPage()
  onTestFinished(() => page.close())
  const pageErrors: string[] = []
  page.on('pageerror', (error) => pageErrors.push(error.message))
  await page.goto(origin)

  const options = `baseUrl: '${api}', apiKey: 'fp_x', random: () => 0`
  const rejection = await page.evaluate(`(() => { try { createFlowpost({ ${options} }) } catch (error) { return String(error) } })()`)
  expect(rejection).toContain('TypeError: A browser exposes the API key to its users.')
  expect(keys).toEqual([])

  const allowed = `createFlowpost({ ${options}, dangerouslyAllowBrowser: true })`
  expect(await page.evaluate(`${allowed}.projects.create({ name: 'billing' })`)).toEqual({ id: 'prj_1', name: 'billing' })
  expect(keys).toHaveLength(2)
  expect(keys[0]).toMatch(/./)
  expect(keys[1]).toBe(keys[0])

  const caught = "(error) => [isFlowpostError(error, 'projects.get'), error.status, error.requestId]"
  expect(await page.evaluate(`${allowed}.projects.get('prj_2').catch(${caught})`)).toEqual([true, 404, 'req_3'])

  // The same rules apply in a worker: the key is public there too, and a User-Agent header would fail the preflight request.
  const inWorker = (program: string) =>
    page.evaluate(`new Promise((resolve) => {
      const source = 'importScripts("${origin}/worker.js");' + ${JSON.stringify(program)}
      new Worker(URL.createObjectURL(new Blob([source]))).onmessage = ({ data }) => resolve(data)
    })`)
  expect(await inWorker(`try { createFlowpost({ ${options} }) } catch (error) { postMessage(String(error)) }`)).toBe(rejection)
  expect(await inWorker(`${allowed}.projects.get('prj_2').catch(${caught}).then(postMessage)`)).toEqual([true, 404, 'req_4'])
  expect(pageErrors).toEqual([])
})
