import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { version } from '../src/version.ts'
import { expectProblem } from './support/expect-problem.ts'
import { startTestServer, type TestServer } from './support/test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const get = (accept: string, path = '/', target = server) => target.request('GET', path, { key: null, headers: { accept } })
const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const links = { docs: '/docs', outbox: '/outbox', openapi: '/openapi.json', health: '/readyz' }

describe('GET /', () => {
  it.each(['*/*', 'application/json', 'application/*', 'image/png', 'application/json, text/html;q=0.9'])(
    'returns JSON for Accept: %s',
    async (accept) => {
      const response = await get(accept)
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
      expect(response.json).toEqual({ name: 'Flowpost', version, links })
    },
  )

  it.each([browserAccept, 'text/html', 'text/*'])('returns HTML for Accept: %s', async (accept) => {
    const response = await get(accept)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect([...response.text.matchAll(/href="([^"]+)"><span/g)].map(([, path]) => `/${path}`)).toEqual(Object.values(links))
  })

  it('links only to pages that exist', async () => {
    const { json } = await get('*/*')
    for (const path of Object.values<string>(json.links)) expect((await get('*/*', path)).status, path).not.toBe(404)
  })

  it('has the security headers of the other pages and `Vary: Accept`', async () => {
    const [page, json, reference] = [await get(browserAccept), await get('*/*'), await get(browserAccept, '/docs')]
    expect([page.headers.get('vary'), json.headers.get('vary')]).toEqual(['Accept', 'Accept'])
    for (const name of ['referrer-policy', 'x-content-type-options', 'x-frame-options', 'cross-origin-opener-policy'])
      expect(page.headers.get(name), name).toBe(reference.headers.get(name))
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(json.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'")
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; img-src data:; frame-ancestors 'none'/,
    )
    expect(page.text).not.toMatch(/https?:|<script|\sstyle=|\son\w+=/)
  })

  it('allows HEAD and returns 405 for POST', async () => {
    const head = await server.request('HEAD', '/', { key: null, headers: { accept: browserAccept } })
    const page = await get(browserAccept)
    expect([head.status, head.text, head.headers.get('content-length')]).toEqual([200, '', page.headers.get('content-length')])
    expectProblem(await server.request('POST', '/', { key: null }), 'method_not_allowed')
  })

  it('does not link to the outbox when it is disabled', async () => {
    await using production = await startTestServer({ env: { NODE_ENV: 'production' } })
    expect((await get('*/*', '/', production)).json.links).not.toHaveProperty('outbox')
    expect((await get(browserAccept, '/', production)).text).not.toContain('Outbox')
  })
})
