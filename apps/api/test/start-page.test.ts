import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { version } from '../src/version.ts'
import { expectProblem } from './support/expect-problem.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const get = (accept: string, path = '/', on = server) => on.request('GET', path, { key: null, headers: { accept } })
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const links = { docs: '/docs', outbox: '/outbox', openapi: '/openapi.json', health: '/readyz' }

describe('/', () => {
  it.each(['*/*', 'application/json', 'application/*', 'image/png', 'application/json, text/html;q=0.9'])(
    'returns JSON for Accept: %s',
    async (accept) => {
      const response = await get(accept)
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
      expect(response.json).toEqual({ name: 'Flowpost', version, links })
    },
  )

  it.each([browser, 'text/html', 'text/*'])('returns HTML for Accept: %s', async (accept) => {
    const response = await get(accept)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect([...response.text.matchAll(/href="([^"]+)"><span/g)].map(([, path]) => `/${path}`)).toEqual(Object.values(links))
  })

  it('links to pages that answer', async () => {
    const { json } = await get('*/*')
    for (const path of Object.values<string>(json.links)) expect((await get('*/*', path)).status, path).not.toBe(404)
  })

  it('has the headers of the other pages, and tells caches that the answer depends on Accept', async () => {
    const [page, json, reference] = [await get(browser), await get('*/*'), await get(browser, '/docs')]
    expect([page.headers.get('vary'), json.headers.get('vary')]).toEqual(['Accept', 'Accept'])
    for (const name of ['cache-control', 'referrer-policy', 'x-content-type-options', 'x-frame-options', 'cross-origin-opener-policy'])
      expect(page.headers.get(name), name).toBe(reference.headers.get(name))
    expect(json.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; img-src data:; frame-ancestors 'none'/,
    )
    expect(page.text).not.toMatch(/https?:|<script|\sstyle=|\son\w+=/)
  })

  it('answers HEAD without a body, and no other method', async () => {
    const head = await server.request('HEAD', '/', { key: null, headers: { accept: browser } })
    const page = await get(browser)
    expect([head.status, head.text, head.headers.get('content-length')]).toEqual([200, '', page.headers.get('content-length')])
    expectProblem(await server.request('POST', '/', { key: null }), 'method_not_allowed')
  })

  it('has no link to an outbox that does not answer', async () => {
    await using production = await startTestServer({ env: { NODE_ENV: 'production' } })
    expect((await get('*/*', '/', production)).json.links).not.toHaveProperty('outbox')
    expect((await get(browser, '/', production)).text).not.toContain('Outbox')
  })
})
