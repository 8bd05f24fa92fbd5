import { afterEach, describe, expect, it } from 'vitest'
import { createMessage } from '../../test/fixtures.ts'
import { createManualClock } from '../../test/manual-clock.ts'
import { captureMessage } from '../capture.ts'
import { createProviderClient } from '../client/provider-client.ts'
import { type MockResponse, type MockServer, startMockServer } from '../conformance/http-case.ts'
import type { EgressPolicy } from '../network/egress.ts'
import { signWebhook, webhook } from './webhook.ts'

const signing_secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
const previous_signing_secret = `whsec_${Buffer.alloc(24, 2).toString('base64')}`
const clock = createManualClock(1_614_265_330_900)
let server: MockServer

afterEach(() => server?.close())

/** Delivers a message with a tenant's credential, through the restricted egress. */
async function send(
  response: MockResponse,
  {
    egress = { allowedNetworks: ['127.0.0.1'], httpPorts: 'any', plainHttp: true },
    secrets = {},
  }: { egress?: EgressPolicy; secrets?: object } = {},
) {
  server = await startMockServer(() => response)
  const client = createProviderClient({ clock, egress })
  const credential = { settings: {}, secrets: { urls: { ops: `${server.url}hook?x=1` }, signing_secret, ...secrets } }
  return client.deliver({ provider: webhook, credential, message: createMessage({ target: 'ops' }) })
}

describe('an unsolicited 101', () => {
  it.each(['Connection: Upgrade\r\nUpgrade: websocket\r\n', ''])(
    'with the headers %j fails immediately',
    async (fields) => {
      const response: MockResponse = (outgoing) => void outgoing.socket?.write(`HTTP/1.1 101 Switching Protocols\r\n${fields}\r\n`)
      await expect(send(response)).rejects.toMatchObject({ kind: 'ambiguous', code: 'connection_lost', retryable: true })
    },
    5_000,
  )
})

describe('a signed request', () => {
  it('matches the signature in the published example', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    expect(signWebhook([secret], 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, '{"test": 2432232314}')).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    )
  })

  it('has the delivery id, a timestamp, and the signature of the captured body', async () => {
    await send({ status: 204 })
    const [request] = server.requests
    const { raw } = await captureMessage(webhook, createMessage({ target: 'ops' }))
    expect(request?.body).toBe(raw)
    expect(request).toMatchObject({
      method: 'POST',
      path: '/hook?x=1',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'webhook-id': 'dlv_01h455vb4pex5vsknk084sn02q',
        'webhook-timestamp': '1614265330',
        'webhook-signature': signWebhook([signing_secret], 'dlv_01h455vb4pex5vsknk084sn02q', 1614265330, raw),
      },
    })
    expect(JSON.parse(raw)).toEqual({
      type: 'notification',
      timestamp: '2026-01-02T03:04:05.678Z',
      data: { delivery_id: 'dlv_01h455vb4pex5vsknk084sn02q', target: 'ops', subject: 'Greetings', text: 'Hello' },
    })
  })

  it('is also signed with the previous secret', async () => {
    await send({ status: 200 }, { secrets: { previous_signing_secret } })
    const [request] = server.requests
    expect(request?.headers['webhook-signature']).toBe(
      signWebhook([signing_secret, previous_signing_secret], 'dlv_01h455vb4pex5vsknk084sn02q', 1614265330, request?.body ?? ''),
    )
  })

  it.each(['', 'whsec_', 'whsec_c2hvcnQ=', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', `whsec_${Buffer.alloc(65).toString('base64')}`])(
    'rejects the secret %j',
    (secret) => {
      expect(webhook.secrets.safeParse({ urls: {}, signing_secret: secret }).success).toBe(false)
    },
  )
})

describe('an internal network', () => {
  it("cannot be reached through a tenant's URL", async () => {
    await expect(send({ status: 200 }, { egress: { httpPorts: 'any', plainHttp: true } })).rejects.toMatchObject({
      kind: 'credential',
      code: 'address_not_allowed',
      retryable: false,
    })
    expect(server.requests).toEqual([])
  })

  it('can be reached on any port and without TLS when it is listed', async () => {
    await expect(send({ status: 200 }, { egress: { allowedNetworks: ['127.0.0.1'] } })).resolves.toMatchObject({ code: '200' })
    await expect(send({ status: 200 }, { egress: { allowedNetworks: ['127.0.0.2'] } })).rejects.toMatchObject({
      code: 'address_not_allowed',
    })
  })

  it('cannot be reached through a redirect', async () => {
    await expect(send({ status: 307, headers: { location: 'http://127.0.0.1:1/' } })).rejects.toMatchObject({
      code: 'http_307',
      retryable: false,
    })
  })
})

describe('a URL', () => {
  it.each(['ftp://example.com/', 'https://user:pass@example.com/', 'https://example.com/#x', 'file:///etc/passwd', '', 'example.com'])(
    '%j is rejected',
    (url) => {
      expect(webhook.secrets.safeParse({ urls: { ops: url }, signing_secret }).success).toBe(false)
    },
  )

  it.each(['constructor', 'other'])('with the unknown name %s fails permanently', async (target) => {
    const client = createProviderClient()
    const credential = { settings: {}, secrets: { urls: { ops: 'https://example.com/' }, signing_secret } }
    await expect(client.deliver({ provider: webhook, credential, message: createMessage({ target }) })).rejects.toMatchObject({
      kind: 'target',
      code: 'name_unknown',
      retryable: false,
    })
  })

  it('is not a valid target', async () => {
    const result = webhook.parseTarget('https://example.com/hook')
    expect(result).toMatchObject({ ok: false, message: expect.stringContaining('A URL is a secret') })
  })
})

it('checks a URL with HEAD, without sending a message', async () => {
  server = await startMockServer(() => ({ status: 405 }))
  const client = createProviderClient()
  const credential = { settings: {}, secrets: { urls: { ops: server.url }, signing_secret }, trusted: true }
  expect(await client.check({ provider: webhook, credential, target: 'ops' })).toMatchObject([{ name: 'reach', ok: true }])
  expect(server.requests).toMatchObject([{ method: 'HEAD', body: '' }])
  expect(await client.check({ provider: webhook, credential, target: 'dev' })).toMatchObject([{ ok: false, code: 'name_unknown' }])
})
