import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { build } from 'esbuild'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { installPacked } from './packed.ts'

const executablePath = process.env['CHROMIUM_PATH']

let folder: string | undefined
let script = ''
let browser: Browser | undefined

// The page's script is bundled in a project that has installed the packed package.
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

const listen = async (answer: RequestListener): Promise<string> => {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** What the README tells the operator of a server to allow, and nothing more. */
const cors = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, POST, PUT, DELETE',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match',
  'Access-Control-Expose-Headers': 'ETag, Retry-After, X-Request-Id',
}

it('runs in a page of another origin as a bundler makes it, and refuses to unless it is told to', async ({ skip }) => {
  if (browser === undefined) return skip('Chromium is not on this machine; CHROMIUM_PATH can say where it is.')
  const keys: (string | undefined)[] = []
  const api = await listen((request, response) => {
    if (request.method === 'OPTIONS') return void response.writeHead(204, cors).end()
    keys.push(request.headers['idempotency-key'] as string | undefined)
    const headers = { ...cors, 'Content-Type': 'application/json', 'Retry-After': '0', 'X-Request-Id': `req_${keys.length}` }
    // The first call is told to come again; the third is refused, and so is the one from a worker.
    const status = [503, 201, 404, 404][keys.length - 1] ?? 500
    response.writeHead(status, headers).end(JSON.stringify(status === 201 ? { id: 'prj_1', name: 'billing' } : {}))
  })
  const origin = await listen((request, response) => {
    if (request.url === '/worker.js') return void response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(script)
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<link rel=icon href=data:,><script>${script}</script>`)
  })

  const page = await browser.newPage()
  onTestFinished(() => page.close())
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  await page.goto(origin)

  const options = `baseUrl: '${api}', apiKey: 'fp_x', random: () => 0`
  const refusal = await page.evaluate(`(() => { try { createFlowpost({ ${options} }) } catch (error) { return String(error) } })()`)
  expect(refusal).toContain('TypeError: In a browser everybody can read the API key.')
  expect(keys).toEqual([])

  const allowed = `createFlowpost({ ${options}, dangerouslyAllowBrowser: true })`
  expect(await page.evaluate(`${allowed}.projects.create({ name: 'billing' })`)).toEqual({ id: 'prj_1', name: 'billing' })
  expect(keys).toHaveLength(2)
  expect(keys[0]).toMatch(/./)
  expect(keys[1]).toBe(keys[0])

  const caught = "(error) => [isFlowpostError(error, 'projects.get'), error.status, error.requestId]"
  expect(await page.evaluate(`${allowed}.projects.get('prj_2').catch(${caught})`)).toEqual([true, 404, 'req_3'])

  // Whoever can read the page can read its workers. A worker that announced itself would not pass the preflight either.
  const inWorker = (program: string) =>
    page.evaluate(`new Promise((resolve) => {
      const source = 'importScripts("${origin}/worker.js");' + ${JSON.stringify(program)}
      new Worker(URL.createObjectURL(new Blob([source]))).onmessage = ({ data }) => resolve(data)
    })`)
  expect(await inWorker(`try { createFlowpost({ ${options} }) } catch (error) { postMessage(String(error)) }`)).toBe(refusal)
  expect(await inWorker(`${allowed}.projects.get('prj_2').catch(${caught}).then(postMessage)`)).toEqual([true, 404, 'req_4'])
  expect(faults).toEqual([])
})
