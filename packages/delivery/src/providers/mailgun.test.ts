import { afterEach, describe, expect, it } from 'vitest'
import { createMessage, deliverOnce } from '../../test/fixtures.ts'
import { captureMessage } from '../capture.ts'
import { createProviderClient } from '../client/provider-client.ts'
import { type MockResponse, type MockServer, startMockServer } from '../conformance/http-case.ts'
import type { OutgoingMessage } from '../provider.ts'
import { createMailgun } from './mailgun.ts'

const key = 'key-3ax6xnjp29jd6fds4gc373sgvjxteol0'
const credential = {
  settings: { domain: 'mg.sender.example', from: '"Zoë \\"Z\\"" <zoe@sender.example>', reply_to: 'help@sender.example' },
  secrets: { api_key: key },
}
let server: MockServer

afterEach(() => server.close())

async function send(response: MockResponse, overrides: Partial<OutgoingMessage> = {}, timeoutMs?: number) {
  server = await startMockServer(() => response)
  return deliverOnce(createMailgun({ apiUrl: server.url }), credential, createMessage(overrides), timeoutMs)
}

/** Parses the fields of a multipart body. */
function parseFields(body: string, type = ''): [string, string][] {
  const boundary = /boundary=(.+)$/.exec(type)?.[1] ?? ''
  return body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => [/name="([^"]*)"/.exec(part)?.[1] ?? '', part.slice(part.indexOf('\r\n\r\n') + 4, -2)])
}

describe('send', () => {
  it('posts the parts, a stable message id and the delivery id', async () => {
    const { result } = await send(
      { status: 200, body: { id: '<x@mg.sender.example>', message: 'Queued. Thank you.' } },
      { target: 'ada@exämple.com', content: { subject: 'Ü 🚀', text: 'plain', html: '<p>rich</p>' } },
    )
    const [request] = server.requests
    expect(request).toMatchObject({ method: 'POST', path: '/v3/mg.sender.example/messages' })
    expect(request?.headers.authorization).toBe(`Basic ${Buffer.from(`api:${key}`).toString('base64')}`)
    expect(parseFields(request?.body ?? '', request?.headers['content-type'])).toEqual([
      ['from', '"Zoë \\"Z\\"" <zoe@sender.example>'],
      ['to', 'ada@xn--exmple-cua.com'],
      ['h:Reply-To', 'help@sender.example'],
      ['subject', 'Ü 🚀'],
      ['text', 'plain'],
      ['html', '<p>rich</p>'],
      ['h:Message-Id', '<dlv_01h455vb4pex5vsknk084sn02q@sender.example>'],
      ['h:Auto-Submitted', 'auto-generated'],
      ['v:flowpost_delivery_id', 'dlv_01h455vb4pex5vsknk084sn02q'],
    ])
    expect(result).toEqual({
      providerMessageId: '<x@mg.sender.example>',
      response: '{"id":"<x@mg.sender.example>","message":"Queued. Thank you."}',
    })
  })

  it('sends the same bytes that captureMessage returns', async () => {
    const content = { subject: 'Ü', text: 'a\nb', html: '<p>Ü</p>' }
    await send({ status: 200 }, { content })
    const composed = await captureMessage(createMailgun(), createMessage({ content }), credential.settings)
    expect(composed.raw).toBe(server.requests[0]?.body)
  })

  it('sets o:testmode in test mode', async () => {
    server = await startMockServer(() => ({ status: 200 }))
    const settings = { ...credential.settings, test_mode: true }
    await deliverOnce(createMailgun({ apiUrl: server.url }), { ...credential, settings }, createMessage())
    expect(server.requests[0]?.body).toContain('name="o:testmode"\r\n\r\nyes\r\n')
  })

  it('prevents header injection through the subject', async () => {
    await send({ status: 200 }, { content: { subject: 'a\r\nBcc: eve@example.com', text: 't' } })
    expect(parseFields(server.requests[0]?.body ?? '', server.requests[0]?.headers['content-type'])).toContainEqual([
      'subject',
      'a Bcc: eve@example.com',
    ])
  })
})

describe('an error response', () => {
  const withMessage = (text: string) => ({ message: text })
  const cases: [name: string, response: MockResponse, kind: string, retryable: boolean][] = [
    ['for an invalid key', { status: 401, body: 'Forbidden' }, 'credential', false],
    [
      'for a sandbox domain',
      { status: 403, body: withMessage('Domain sandbox.mailgun.org is not allowed to send: ...') },
      'credential',
      false,
    ],
    ['for an unknown domain', { status: 404, body: withMessage('Domain not found: mg.sender.example') }, 'credential', false],
    [
      'for an invalid recipient',
      { status: 400, body: withMessage("'to' parameter is not a valid address. please check documentation") },
      'target',
      false,
    ],
    [
      'for an invalid sender',
      { status: 400, body: withMessage("'from' parameter is not a valid address. please check documentation") },
      'credential',
      false,
    ],
    ['for invalid content', { status: 400, body: withMessage('something is wrong') }, 'content', false],
    ['for a message that is too large', { status: 413, body: '<html>too large</html>' }, 'content', false],
    ['for too many requests', { status: 429, body: withMessage('Too many requests') }, 'rate', true],
    [
      'for too many recipients',
      { status: 420, body: withMessage('Domain x is not allowed to send: recipient limit exceeded, try again after ...') },
      'rate',
      true,
    ],
    ['for an internal error', { status: 500, body: withMessage('Internal Server Error') }, 'provider', true],
    ['for an internal error that mentions a limit', { status: 500, body: withMessage('Memory limit exceeded') }, 'provider', true],
    ['for an outage', { status: 503 }, 'provider', true],
    ['for a gateway timeout', { status: 504 }, 'ambiguous', true],
    ['for a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 'provider', false],
  ]
  it.each(cases)('%s is classified as %o, %s', async (_, response, kind, retryable) => {
    const { error } = await send(response)
    expect(error).toMatchObject({ kind, retryable, code: `http_${(response as { status: number }).status}` })
  })

  it('has the delay from Retry-After', async () => {
    const { error } = await send({ status: 429, headers: { 'retry-after': '7' } })
    expect(error?.retryAfterMs).toBe(7000)
  })

  it('does not reveal the key', async () => {
    const { error } = await send({ status: 401, body: { message: `bad key ${key} (${Buffer.from(`api:${key}`).toString('base64')})` } })
    expect([error?.detail, error?.providerResponse]).toEqual(['Mailgun returned 401.', '401 {"message":"bad key [redacted] ([redacted])"}'])
  })
})

describe('a failed connection', () => {
  it('is ambiguous after the request was sent', async () => {
    const { error } = await send((response) => response.destroy())
    expect(error).toMatchObject({ kind: 'ambiguous', retryable: true })
  })

  it('is ambiguous when the response times out', async () => {
    const { error } = await send(() => {}, {}, 150)
    expect(error).toMatchObject({ kind: 'ambiguous', code: 'timed_out', retryable: true })
  })

  it('is retryable when the connection is refused', async () => {
    server = await startMockServer(() => ({ status: 200 }))
    await server.close()
    const { error } = await deliverOnce(createMailgun({ apiUrl: server.url }), credential, createMessage())
    expect(error).toMatchObject({ kind: 'provider', code: 'econnrefused', retryable: true })
  })
})

describe('check', () => {
  async function check(response: MockResponse) {
    server = await startMockServer(() => response)
    const client = createProviderClient()
    return client.check({ provider: createMailgun({ apiUrl: server.url }), credential })
  }

  it('succeeds for an active domain', async () => {
    const results = await check({ status: 200, body: { domain: { name: 'mg.sender.example', state: 'active' } } })
    expect(server.requests[0]).toMatchObject({ method: 'GET', path: '/v4/domains/mg.sender.example' })
    expect(results.map(({ name, ok }) => [name, ok])).toEqual([
      ['authenticate', true],
      ['domain', true],
    ])
  })

  it('returns the state of an unverified domain', async () => {
    const results = await check({ status: 200, body: { domain: { state: 'unverified' } } })
    expect(results).toContainEqual({
      name: 'domain',
      ok: false,
      code: 'domain_unverified',
      detail: 'The domain mg.sender.example is unverified.',
    })
  })

  it.each([
    [401, 'authenticate'],
    [404, 'domain'],
  ])('maps status %d to a failed %s', async (status, name) => {
    expect(await check({ status })).toMatchObject([{ name, ok: false, code: `http_${status}` }])
  })
})

it("uses the region's API", async () => {
  server = await startMockServer(() => ({ status: 200 }))
  const hosts: string[] = []
  const client = createProviderClient({
    fetch: async (url) => {
      hosts.push(new URL(String(url)).host)
      return Response.json({ id: '1' })
    },
  })
  for (const region of ['us', 'eu']) {
    await client.deliver({
      provider: createMailgun(),
      credential: { ...credential, settings: { ...credential.settings, region } },
      message: createMessage(),
    })
  }
  expect(hosts).toEqual(['api.mailgun.net', 'api.eu.mailgun.net'])
})

it('rejects an API URL without TLS', () => {
  expect(() => createMailgun({ apiUrl: 'http://mailgun.example' })).toThrow(/HTTPS/)
})
