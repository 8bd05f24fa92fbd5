import { afterEach, describe, expect, it } from 'vitest'
import { createMessage, deliverOnce } from '../../test/fixtures.ts'
import { type MockResponse, type MockServer, startMockServer } from '../conformance/http-case.ts'
import { createDiscord, discord } from './discord.ts'

const token = 'W2nVJ0BRhxk9b7GmZq5pTt4Lq1Yd8eXcA3sF6uHiKoPvNzQw'
let server: MockServer

afterEach(() => server?.close())

async function send(response: MockResponse) {
  server = await startMockServer(() => response)
  const secrets = { urls: { ops: `${server.url}api/webhooks/123/${token}` } }
  const provider = createDiscord({ origins: [new URL(server.url).origin] })
  return deliverOnce(
    provider,
    { settings: {}, secrets, trusted: true },
    createMessage({ target: 'ops', content: { subject: 's', text: '@everyone https://example.com' } }),
  )
}

it('disables mentions and link previews and sets wait', async () => {
  const { result } = await send({ status: 200, body: { id: '42', channel_id: '7', content: '@everyone' } })
  expect(server.requests[0]).toMatchObject({ method: 'POST', path: `/api/webhooks/123/${token}?wait=true` })
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
    content: '@everyone https://example.com',
    allowed_mentions: { parse: [] },
    flags: 4,
  })
  expect(result).toEqual({ providerMessageId: '42', response: '{"id":"42","channel_id":"7"}' })
})

it('sends a user agent in the required format', async () => {
  await send({ status: 200, body: { id: '42' } })
  expect(server.requests[0]?.headers['user-agent']).toMatch(/^DiscordBot \(.+, .+\)$/)
})

describe('an error response', () => {
  it.each([
    [{ status: 404, body: { message: 'Unknown Webhook', code: 10015 } }, 'credential', '10015', false],
    [{ status: 404, body: { message: '404: Not Found', code: 0 } }, 'credential', 'http_404', false],
    [{ status: 401, body: { message: 'Invalid Webhook Token', code: 50027 } }, 'credential', '50027', false],
    [{ status: 400, body: { message: 'Cannot send an empty message', code: 50006 } }, 'content', '50006', false],
    [{ status: 500, body: '<html>' }, 'provider', 'http_500', true],
    [{ status: 400, body: { message: 'Invalid Form Body', code: 50035 } }, 'content', '50035', false],
    [{ status: 413, body: { message: 'Request entity too large', code: 40005 } }, 'content', '40005', false],
    [{ status: 400, body: { message: 'Webhooks posted to forum channels must have a thread', code: 220001 } }, 'target', '220001', false],
    [{ status: 403, body: { message: 'Blocked by automatic moderation', code: 200000 } }, 'content', '200000', false],
    [{ status: 403, body: { message: 'internal network error', code: 40333 } }, 'provider', '40333', true],
    [{ status: 503, body: { message: 'API is overloaded', code: 130000 } }, 'provider', '130000', true],
    [{ status: 429, body: '<html>', headers: { 'retry-after': '65' } }, 'rate', 'http_429', true],
    [{ status: 502, body: '<html>' }, 'ambiguous', 'http_502', true],
  ])('%j is classified as %s %s, retryable %s', async (response, kind, code, retryable) => {
    expect((await send(response)).error).toMatchObject({ kind, code, retryable })
  })

  it('has the delay from retry_after, in milliseconds', async () => {
    const { error } = await send({
      status: 429,
      body: { message: 'You are being rate limited.', retry_after: 0.2519, global: false },
      headers: { 'retry-after': '1' },
    })
    expect(error).toMatchObject({ kind: 'rate', retryAfterMs: 252, retryable: true })
  })

  it.each([130000, 0])('has the delay from Retry-After, also with the code %i', async (code) => {
    const { error } = await send({ status: 503, body: { message: 'API is overloaded', code }, headers: { 'retry-after': '30' } })
    expect(error).toMatchObject({ kind: 'provider', retryAfterMs: 30_000 })
  })

  it('does not reveal a token from a path', async () => {
    const { error } = await send({ status: 404, body: { message: `Cannot POST /api/webhooks/123/${token}` } })
    expect(error?.detail).not.toContain(token)
  })
})

it.each([
  'https://discord.com.evil.example/api/webhooks/1/x',
  'https://evil.example/api/webhooks/1/x',
  'http://discord.com/api/webhooks/1/x',
  'https://discord.com/api/webhooks/1',
  'https://discord.com/api/users/@me',
  'https://discord.com/api/webhooks/1/x?thread_id=2',
])('rejects the URL %s', (url) => {
  expect(discord.secrets.safeParse({ urls: { ops: url } }).success).toBe(false)
})

it("accepts Discord's webhook URLs", () => {
  const urls = { ops: `https://discord.com/api/webhooks/123/${token}`, dev: `https://discord.com/api/v10/webhooks/123/${token}` }
  expect(discord.secrets.safeParse({ urls }).success).toBe(true)
})
