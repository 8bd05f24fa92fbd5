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
    expect(page.text).not.toMatch(/https?:|\/\/|<script>|<style|\sstyle=|\son\w+=/)
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy.split('; ').sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self' data:",
      "script-src 'self'",
      "style-src 'self'",
    ])
    const urls = [...page.text.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, url]) => url)
    expect(urls).toHaveLength(4)
    for (const url of urls) {
      const asset = await get(`/${url}`)
      expect([asset.status, asset.headers.get('cache-control')], url).toEqual([200, 'public, max-age=31536000, immutable'])
      expect(asset.headers.get('content-type')).toMatch(url?.endsWith('.css') ? /^text\/css/ : /^text\/javascript/)
      expect(asset.text.length).toBeGreaterThan(100)
    }
  })

  it('links relative to its URL, with and without a trailing slash, so that it works under any path of a proxy', async () => {
    expect((await get('/docs')).text).toContain('data-document="openapi.json"')
    const withSlash = (await get('/docs/')).text
    expect(withSlash).toContain('data-document="../openapi.json"')
    expect(withSlash).toContain('src="../docs/assets/')
  })

  it('compresses assets only for clients that accept gzip', async () => {
    const [url] = /docs\/assets\/swagger-ui\.\w+\.js/.exec((await get('/docs')).text) ?? []
    const compressed = await fetch(`${server.url}/${url}`, { headers: { 'Accept-Encoding': 'br, gzip' } })
    const plain = await fetch(`${server.url}/${url}`, { headers: { 'Accept-Encoding': 'identity' } })
    expect([compressed.headers.get('content-encoding'), plain.headers.get('content-encoding')]).toEqual(['gzip', null])
    expect(compressed.headers.get('vary')).toBe('Accept-Encoding')
    expect(await compressed.text()).toBe(await plain.text())
    expect(Number(compressed.headers.get('content-length'))).toBeLessThan(Number(plain.headers.get('content-length')) / 3)
  })

  it('returns 404 for other files', async () => {
    for (const name of ['x.js', '..%2f..%2fpackage.json', 'swagger-ui.css', '__proto__', '%00'])
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
