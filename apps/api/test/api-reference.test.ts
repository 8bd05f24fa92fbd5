import { createOpenApiDocument } from '@flowpost/contract'
import { builtInProviders, defineProvider } from '@flowpost/delivery'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { version } from '../src/version.ts'
import { expectProblem } from './support/expect-problem.ts'
import { createTestDatabase } from './support/test-database.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

const telegram = defineProvider({
  id: 'telegram',
  kind: 'chat',
  limits: {},
  parseTarget: (address) => ({ ok: true, target: address, key: address }),
  settings: z.strictObject({}),
  secrets: z.strictObject({}),
  compose: ({ content, target }) => ({ headers: [], text: content.text, raw: content.text, envelope: { to: target } }),
  send: async () => ({ providerMessageId: null, response: 'ok' }),
  check: async () => [],
})

let server: TestServer
beforeAll(async () => {
  server = await startTestServer({ providers: [...builtInProviders, telegram] })
})
afterAll(() => server[Symbol.asyncDispose]())

const get = (path: string, headers: Record<string, string> = {}) => server.request('GET', path, { key: null, headers })

describe('/openapi.json', () => {
  it("returns the contract's document with the version and providers of the deployment", async () => {
    const response = await get('/openapi.json')
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
    const sourceTypes = [...builtInProviders.map(({ id }) => id), 'telegram']
    expect(response.json).toEqual(JSON.parse(JSON.stringify(createOpenApiDocument({ version, sourceTypes }))))
    expect(response.json.components.schemas.FlowCreate.properties.source_type.description).toContain('`telegram`')
  })

  it('returns 304 for the current ETag', async () => {
    const etag = (await get('/openapi.json')).headers.get('etag') ?? ''
    const notModified = await get('/openapi.json', { 'If-None-Match': etag })
    expect([notModified.status, notModified.text]).toEqual([304, ''])
    expect((await get('/openapi.json', { 'If-None-Match': '"other"' })).status).toBe(200)
  })
})

describe('/docs', () => {
  it('loads every asset from the server itself', async () => {
    const page = await get('/docs')
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.text).not.toMatch(/<script>|<style|\sstyle=|\son\w+=/)
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy.split('; ').sort()).toEqual([
      "base-uri 'none'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      'img-src data:',
      "script-src 'self'",
      "style-src 'self'",
    ])
    const urls = [...page.text.matchAll(/<(?:script|link)[^>]+(?:src|href)="([^"]+)"/g)]
      .map(([, url]) => url)
      .filter((url) => url !== 'data:,')
    expect(urls).toHaveLength(3)
    for (const url of urls) {
      const asset = await get(`/${url}`)
      expect([asset.status, asset.headers.get('cache-control')], url).toEqual([200, 'public, max-age=31536000, immutable'])
      expect(asset.headers.get('content-type')).toMatch(url?.endsWith('.css') ? /^text\/css/ : /^text\/javascript/)
      expect(asset.text.length).toBeGreaterThan(100)
    }
  })

  it('describes the operations, version and providers of this server', async () => {
    expect((await get('/docs')).text).toContain(`Flowpost <span>API ${version}</span>`)
    const { status, text } = await get('/docs/flows')
    expect(status).toBe(200)
    expect(text).toContain('id="flows-create"')
    expect(text).toContain('<code>telegram</code>')
  })

  it('uses relative links, with and without a trailing slash in its URL, so that it works under any proxy path', async () => {
    expect((await get('/docs')).text).toContain('<a class="banner-link" href="openapi.json">')
    expect((await get('/docs/')).text).toContain('<a class="banner-link" href="../openapi.json">')
    expect((await get('/docs/flows')).text).toContain('<a class="banner-link" href="../openapi.json">')
    expect((await get('/docs/problems/not_found/')).text).toContain('<a class="banner-link" href="../../../openapi.json">')
  })

  it('returns 304 for the current ETag of a page', async () => {
    const page = await get('/docs/flows')
    expect(page.headers.get('cache-control')).toBe('no-cache')
    const etag = page.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"\w+"$/)
    const notModified = await get('/docs/flows', { 'If-None-Match': etag })
    expect([notModified.status, notModified.text, notModified.headers.get('etag')]).toEqual([304, '', etag])
    expect((await get('/docs/projects', { 'If-None-Match': etag })).status).toBe(200)
  })

  it('transfers less than 40 KB for the largest page with its assets', async () => {
    const sizeOf = async (url: string | undefined) => {
      const response = await fetch(`${server.url}/${url}`, { headers: { 'Accept-Encoding': 'gzip' } })
      return Number(response.headers.get('content-length'))
    }
    const { text } = await get('/docs')
    const assets = [...text.matchAll(/"(docs\/assets\/[^"]+)"/g)].map(([, url]) => url)
    const names = [...new Set([...text.matchAll(/<h3 id="([a-z-]+)">/g)].map(([, name]) => name))]
    expect(names.length).toBeGreaterThan(10)
    const pages = await Promise.all(names.map((name) => sizeOf(`docs/${name}`)))
    const shared = await Promise.all(assets.map(sizeOf))
    expect(Math.max(...pages) + shared.reduce((sum, size) => sum + size, 0)).toBeLessThan(40_000)
  })

  it('compresses pages only for clients that accept gzip', async () => {
    const compressed = await fetch(`${server.url}/docs/flows`, { headers: { 'Accept-Encoding': 'br, gzip' } })
    const plain = await fetch(`${server.url}/docs/flows`, { headers: { 'Accept-Encoding': 'identity' } })
    expect([compressed.headers.get('content-encoding'), plain.headers.get('content-encoding')]).toEqual(['gzip', null])
    expect(compressed.headers.get('vary')).toContain('Accept-Encoding')
    expect(await compressed.text()).toBe(await plain.text())
    expect(Number(compressed.headers.get('content-length'))).toBeLessThan(Number(plain.headers.get('content-length')) / 3)
  })

  it('returns 404 for other pages and files', async () => {
    for (const name of [
      'x',
      'Flows',
      'assets',
      '__proto__',
      '%00',
      encodeURIComponent('problems/not_found'),
      'problems/x',
      'problems/__proto__',
      'flows/x',
    ])
      expectProblem(await get(`/docs/${name}`), 'not_found')
    for (const name of ['x.js', '..%2f..%2fpackage.json', 'docs.css', '__proto__', '%00'])
      expectProblem(await get(`/docs/assets/${name}`), 'not_found')
  })
})

describe('a worker process', () => {
  it('serves only probes and metrics', async ({ skip }) => {
    const database = await createTestDatabase()
    if (database.url === undefined) {
      await database.remove()
      return skip('A worker cannot share the embedded database.')
    }
    await using worker = await startTestServer({ database, env: { FLOWPOST_ROLE: 'worker' } })
    for (const path of ['/livez', '/readyz', '/metrics']) expect((await worker.request('GET', path)).status, path).toBe(200)
    for (const path of ['/docs', '/openapi.json', '/v1/settings/projects', '/outbox'])
      expectProblem(await worker.request('GET', path), 'not_found')
  })
})
