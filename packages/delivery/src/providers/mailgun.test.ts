import { afterEach, describe, expect, it } from 'vitest'
import { deliverOnce, outgoing } from '../../test/delivery-case.ts'
import { type HttpReply, type RecordingServer, startRecordingServer } from '../conformance/http-case.ts'
import { createCourier } from '../courier.ts'
import type { OutgoingMessage } from '../provider.ts'
import { captureMessage } from './capture.ts'
import { createMailgun } from './mailgun.ts'

const key = 'key-3ax6xnjp29jd6fds4gc373sgvjxteol0'
const credential = {
  settings: { domain: 'mg.sender.example', from: '"Zoë \\"Z\\"" <zoe@sender.example>', reply_to: 'help@sender.example' },
  secrets: { api_key: key },
}
let server: RecordingServer

afterEach(() => server.close())

async function send(answer: HttpReply, changes: Partial<OutgoingMessage> = {}, timeoutMs?: number) {
  server = await startRecordingServer(() => answer)
  return deliverOnce(createMailgun({ apiUrl: server.url }), credential, outgoing(changes), timeoutMs)
}

/** The fields of a multipart body, in order. */
function fieldsOf(body: string, type = ''): [string, string][] {
  const boundary = /boundary=(.+)$/.exec(type)?.[1] ?? ''
  return body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => [/name="([^"]*)"/.exec(part)?.[1] ?? '', part.slice(part.indexOf('\r\n\r\n') + 4, -2)])
}

describe('an accepted message', () => {
  it('is posted with its parts, a stable identifier and the delivery id', async () => {
    const { result } = await send(
      { status: 200, body: { id: '<x@mg.sender.example>', message: 'Queued. Thank you.' } },
      { target: 'ada@exämple.com', content: { subject: 'Ü 🚀', text: 'plain', html: '<p>rich</p>' } },
    )
    const [request] = server.requests
    expect(request).toMatchObject({ method: 'POST', path: '/v3/mg.sender.example/messages' })
    expect(request?.headers.authorization).toBe(`Basic ${Buffer.from(`api:${key}`).toString('base64')}`)
    expect(fieldsOf(request?.body ?? '', request?.headers['content-type'])).toEqual([
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

  it('is shown by capture byte for byte', async () => {
    const content = { subject: 'Ü', text: 'a\nb', html: '<p>Ü</p>' }
    await send({ status: 200 }, { content })
    const composed = await captureMessage(createMailgun(), outgoing({ content }), credential.settings)
    expect(composed.raw).toBe(server.requests[0]?.body)
  })

  it('in test mode says so', async () => {
    server = await startRecordingServer(() => ({ status: 200 }))
    const settings = { ...credential.settings, test_mode: true }
    await deliverOnce(createMailgun({ apiUrl: server.url }), { ...credential, settings }, outgoing())
    expect(server.requests[0]?.body).toContain('name="o:testmode"\r\n\r\nyes\r\n')
  })

  it('cannot be given another header through its subject', async () => {
    await send({ status: 200 }, { content: { subject: 'a\r\nBcc: eve@example.com', text: 't' } })
    expect(fieldsOf(server.requests[0]?.body ?? '', server.requests[0]?.headers['content-type'])).toContainEqual([
      'subject',
      'a Bcc: eve@example.com',
    ])
  })
})

describe('a refusal', () => {
  const message = (text: string) => ({ message: text })
  const cases: [name: string, answer: HttpReply, kind: string, retryable: boolean][] = [
    ['of the key', { status: 401, body: 'Forbidden' }, 'credential', false],
    ['of a sandbox domain', { status: 403, body: message('Domain sandbox.mailgun.org is not allowed to send: ...') }, 'credential', false],
    ['of an unknown domain', { status: 404, body: message('Domain not found: mg.sender.example') }, 'credential', false],
    [
      'of the receiver',
      { status: 400, body: message("'to' parameter is not a valid address. please check documentation") },
      'target',
      false,
    ],
    [
      'of the sender',
      { status: 400, body: message("'from' parameter is not a valid address. please check documentation") },
      'credential',
      false,
    ],
    ['of the content', { status: 400, body: message('something is wrong') }, 'content', false],
    ['of the size', { status: 413, body: '<html>too large</html>' }, 'content', false],
    ['of too many requests', { status: 429, body: message('Too many requests') }, 'rate', true],
    [
      'of too many receivers',
      { status: 420, body: message('Domain x is not allowed to send: recipient limit exceeded, try again after ...') },
      'rate',
      true,
    ],
    ['by a fault of Mailgun', { status: 500, body: message('Internal Server Error') }, 'provider', true],
    ['by an outage', { status: 503 }, 'provider', true],
    ['by a gateway that lost the answer', { status: 504 }, 'ambiguous', true],
    ['by a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 'provider', false],
  ]
  it.each(cases)('%s is told apart', async (_, answer, kind, retryable) => {
    const { error } = await send(answer)
    expect(error).toMatchObject({ kind, retryable, code: `http_${(answer as { status: number }).status}` })
  })

  it('for a while says for how long', async () => {
    const { error } = await send({ status: 429, headers: { 'retry-after': '7' } })
    expect(error?.retryAfterMs).toBe(7000)
  })

  it('that repeats the key does not pass it on', async () => {
    const { error } = await send({ status: 401, body: { message: `bad key ${key} (${Buffer.from(`api:${key}`).toString('base64')})` } })
    expect([error?.detail, error?.answer]).toEqual(['Mailgun answered 401.', '401 {"message":"bad key [redacted] ([redacted])"}'])
  })
})

describe('a connection', () => {
  it('lost after the request leaves the outcome open', async () => {
    const { error } = await send((response) => response.destroy())
    expect(error).toMatchObject({ kind: 'ambiguous', retryable: true })
  })

  it('that never answers leaves the outcome open after the time-out', async () => {
    const { error } = await send(() => {}, {}, 150)
    expect(error).toMatchObject({ kind: 'ambiguous', code: 'timed_out', retryable: true })
  })

  it('that is refused means that nothing was sent', async () => {
    server = await startRecordingServer(() => ({ status: 200 }))
    await server.close()
    const { error } = await deliverOnce(createMailgun({ apiUrl: server.url }), credential, outgoing())
    expect(error).toMatchObject({ kind: 'provider', code: 'econnrefused', retryable: true })
  })
})

describe('a check', () => {
  async function check(answer: HttpReply) {
    server = await startRecordingServer(() => answer)
    const courier = createCourier()
    return courier.check({ provider: createMailgun({ apiUrl: server.url }), credential })
  }

  it('of an active domain is good', async () => {
    const findings = await check({ status: 200, body: { domain: { name: 'mg.sender.example', state: 'active' } } })
    expect(server.requests[0]).toMatchObject({ method: 'GET', path: '/v4/domains/mg.sender.example' })
    expect(findings.map(({ name, ok }) => [name, ok])).toEqual([
      ['authenticate', true],
      ['domain', true],
    ])
  })

  it('of a domain that is not verified names its state', async () => {
    const findings = await check({ status: 200, body: { domain: { state: 'unverified' } } })
    expect(findings).toContainEqual({
      name: 'domain',
      ok: false,
      code: 'domain_unverified',
      detail: 'The domain mg.sender.example is unverified.',
    })
  })

  it.each([
    [401, 'authenticate'],
    [404, 'domain'],
  ])('that is answered %d fails at %s', async (status, name) => {
    expect(await check({ status })).toMatchObject([{ name, ok: false, code: `http_${status}` }])
  })
})

it('is reached in the region of the domain', async () => {
  server = await startRecordingServer(() => ({ status: 200 }))
  const hosts: string[] = []
  const courier = createCourier({
    fetch: async (url) => {
      hosts.push(new URL(String(url)).host)
      return Response.json({ id: '1' })
    },
  })
  for (const region of ['us', 'eu']) {
    await courier.deliver({
      provider: createMailgun(),
      credential: { ...credential, settings: { ...credential.settings, region } },
      message: outgoing(),
    })
  }
  expect(hosts).toEqual(['api.mailgun.net', 'api.eu.mailgun.net'])
})

it('refuses an API address that would send the key in the clear', () => {
  expect(() => createMailgun({ apiUrl: 'http://mailgun.example' })).toThrow(/HTTPS/)
})
