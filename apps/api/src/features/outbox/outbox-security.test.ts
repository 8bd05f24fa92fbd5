import { describe, expect, test } from 'vitest'
import { rawGet, serveOutbox, testMessage } from '../../../test/support/outbox-server.ts'

const malicious = testMessage(1, {
  subject: '<script>alert("subject")</script>',
  target: '"><img src=x onerror=alert(1)>@example.com',
  sourceType: `x" onfocus='alert(2)'`,
  text: '</pre><script>alert(3)</script> https://a.example/"onclick="alert(4)',
  html: '<script>alert(5)</script><img src="https://tracker.example/pixel"><a href="javascript:alert(6)">x</a><link rel=preconnect href=//a.example>',
  headers: [['</th><script>', '</td><script>alert(7)</script>']],
  raw: '</pre><script>alert(8)</script>',
})
const paths = ['', `/${malicious.id}`, `/${malicious.id}/text`, `/${malicious.id}/headers`, `/${malicious.id}/source`, '/dlv_unknown']

const policyOf = (response: Response): Record<string, string> =>
  Object.fromEntries(
    (response.headers.get('content-security-policy') ?? '').split('; ').map((directive) => {
      const [name = '', ...values] = directive.split(' ')
      return [name, values.join(' ')]
    }),
  )

test('escapes all message content in pages', async () => {
  await using server = await serveOutbox([malicious])
  for (const path of paths) {
    const body = await (await fetch(`${server.origin}/outbox${path}`)).text()
    // The page has one script. Any other script or handler would come from the message.
    expect(body.match(/<script\b[^>]*>/g)).toEqual([
      expect.stringMatching(/^<script defer src="\/outbox\/assets\/outbox\.[0-9a-f]{12}\.js">$/),
    ])
    expect(body).not.toMatch(/<(?:img|style)\b/i)
    expect(body).not.toMatch(/<[^>]*\s(?:on\w+|style)=/i)
    expect(body).not.toMatch(/(?:href|src)="(?!\/|#main"|https:\/\/a\.example\/")/i)
  }
})

test('restricts pages to files from the outbox and forbids framing', async () => {
  await using server = await serveOutbox([malicious])
  for (const path of paths) {
    const response = await fetch(`${server.origin}/outbox${path}`)
    expect(policyOf(response)).toEqual({
      'default-src': "'none'",
      'style-src': "'self'",
      'script-src': "'self'",
      'connect-src': "'self'",
      'img-src': "'self'",
      'frame-src': "'self'",
      'frame-ancestors': "'none'",
      'base-uri': "'none'",
      'form-action': "'none'",
    })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
  }
})

test.each(['frame', 'raw'])('sandboxes message content (%s)', async (view) => {
  await using server = await serveOutbox([malicious])
  const response = await fetch(`${server.origin}/outbox/${malicious.id}/${view}`)
  expect(policyOf(response)).toEqual({
    sandbox: '',
    'default-src': "'none'",
    'style-src': "'unsafe-inline'",
    'img-src': 'data:',
    'frame-ancestors': "'self'",
    'base-uri': "'none'",
    'form-action': "'none'",
  })
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'cache-control': 'no-store',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    'x-frame-options': 'SAMEORIGIN',
  })
})

test('serves static files under names with a content hash', async () => {
  await using server = await serveOutbox([malicious])
  const body = await (await fetch(`${server.origin}/outbox`)).text()
  const names = [...body.matchAll(/(?:href|src)="([^"]*\/assets\/[^"]*)"/g)].map((match) => match[1] ?? '')
  const types = await Promise.all(
    names.map(async (name) => {
      const response = await fetch(server.origin + name)
      expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(name).toMatch(/outbox\.[0-9a-f]{12}\.\w+$/)
      return response.headers.get('content-type')
    }),
  )
  expect(types).toEqual(['image/svg+xml', 'text/css; charset=utf-8', 'text/javascript; charset=utf-8'])
})

describe('requests from a page on another origin', () => {
  const requestAs = async (path: string, site: string, mode: string, dest: string): Promise<number> => {
    await using server = await serveOutbox([malicious])
    const response = await rawGet(server, `/outbox${path}`, { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest })
    return response.status
  }
  const message = `/${malicious.id}`

  test.each(['cross-site', 'same-site'])('rejects embedded and fetched requests (%s)', async (site) => {
    expect(await requestAs(`${message}/frame`, site, 'navigate', 'iframe')).toBe(403)
    expect(await requestAs(`${message}/frame`, site, 'navigate', 'document')).toBe(403)
    expect(await requestAs(`${message}/raw`, site, 'navigate', 'document')).toBe(403)
    expect(await requestAs(message, site, 'navigate', 'iframe')).toBe(403)
    expect(await requestAs('', site, 'no-cors', 'image')).toBe(403)
    expect(await requestAs('', site, 'cors', 'empty')).toBe(403)
  })

  test('accepts navigation by a link, and requests from the outbox itself', async () => {
    expect(await requestAs(message, 'cross-site', 'navigate', 'document')).toBe(200)
    expect(await requestAs('', 'same-site', 'navigate', 'document')).toBe(200)
    expect(await requestAs(`${message}/frame`, 'same-origin', 'navigate', 'iframe')).toBe(200)
    expect(await requestAs(`${message}/frame`, 'none', 'navigate', 'document')).toBe(200)
  })
})

test('omits a Host header with special characters from the commands to copy', async () => {
  await using server = await serveOutbox([], {
    mode: 'on',
    verifyKey: async () => ({ userId: 'ada', allScopes: true }),
  })
  const { body } = await rawGet(server, '/outbox', { host: 'a;rm$(x)', authorization: `Basic ${btoa('a:b')}` })
  expect(body).toContain('export FLOWPOST_BASE_URL=http://localhost:3000\n')
  expect(body).not.toContain('rm$(x)')
})

test('shows a message of one megabyte', async () => {
  const large = '<p>&amp; "quoted" \u{1f600}</p>\n'.repeat(40_000)
  await using server = await serveOutbox([testMessage(1, { html: large, text: large, raw: large })])
  for (const view of ['html', 'text', 'source', 'frame', 'raw']) {
    const response = await fetch(`${server.origin}/outbox/${malicious.id}/${view}`)
    const body = await response.text()
    expect(response.status).toBe(200)
    if (view === 'raw') expect(body).toBe(large)
    if (view === 'frame') expect(body.endsWith(large)).toBe(true)
    if (view === 'text' || view === 'source')
      expect(body.match(/&lt;p&gt;&amp;amp; &quot;quoted&quot; \u{1f600}&lt;\/p&gt;\n/gu)).toHaveLength(40_000)
  }
})
