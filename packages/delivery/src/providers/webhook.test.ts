import { afterEach, describe, expect, it } from 'vitest'
import { outgoing } from '../../test/delivery-case.ts'
import { createManualClock } from '../../test/manual-clock.ts'
import { type HttpReply, type RecordingServer, startRecordingServer } from '../conformance/http-case.ts'
import { createCourier } from '../courier.ts'
import type { EgressPolicy } from '../egress.ts'
import { captureMessage } from './capture.ts'
import { signWebhook } from './standard-webhooks.ts'
import { webhook } from './webhook.ts'

const signing_secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
const previous_signing_secret = `whsec_${Buffer.alloc(24, 2).toString('base64')}`
const clock = createManualClock(1_614_265_330_900)
let server: RecordingServer

afterEach(() => server?.close())

/** As a tenant would: through the guard. */
async function send(
  answer: HttpReply,
  {
    egress = { allowedNetworks: ['127.0.0.1'], httpPorts: 'any', plainHttp: true },
    secrets = {},
  }: { egress?: EgressPolicy; secrets?: object } = {},
) {
  server = await startRecordingServer(() => answer)
  const courier = createCourier({ clock, egress })
  const credential = { settings: {}, secrets: { urls: { ops: `${server.url}hook?x=1` }, signing_secret, ...secrets } }
  return courier.deliver({ provider: webhook, credential, message: outgoing({ target: 'ops' }) })
}

describe('an answer that is none', () => {
  it.each(['Connection: Upgrade\r\nUpgrade: websocket\r\n', ''])(
    'as a 101 with %j ends the attempt at once',
    async (fields) => {
      const answer: HttpReply = (response) => void response.socket?.write(`HTTP/1.1 101 Switching Protocols\r\n${fields}\r\n`)
      await expect(send(answer)).rejects.toMatchObject({ kind: 'ambiguous', code: 'connection_lost', retryable: true })
    },
    5_000,
  )
})

describe('a signed request', () => {
  it('has the signature of the published example', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    expect(signWebhook([secret], 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, '{"test": 2432232314}')).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    )
  })

  it('carries id, time and signature of exactly the body that capture shows', async () => {
    await send({ status: 204 })
    const [request] = server.requests
    const { raw } = await captureMessage(webhook, outgoing({ target: 'ops' }))
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

  it('has a signature of the previous secret too, while there is one', async () => {
    await send({ status: 200 }, { secrets: { previous_signing_secret } })
    const [request] = server.requests
    expect(request?.headers['webhook-signature']).toBe(
      signWebhook([signing_secret, previous_signing_secret], 'dlv_01h455vb4pex5vsknk084sn02q', 1614265330, request?.body ?? ''),
    )
  })

  it.each(['', 'whsec_', 'whsec_c2hvcnQ=', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', `whsec_${Buffer.alloc(65).toString('base64')}`])(
    'is not made with the secret %j',
    (secret) => {
      expect(webhook.secrets.safeParse({ urls: {}, signing_secret: secret }).success).toBe(false)
    },
  )
})

describe('the network inside', () => {
  it('is not reached by the URL of a tenant', async () => {
    await expect(send({ status: 200 }, { egress: { httpPorts: 'any', plainHttp: true } })).rejects.toMatchObject({
      kind: 'credential',
      code: 'address_not_allowed',
      retryable: false,
    })
    expect(server.requests).toEqual([])
  })

  it('is reached on any port and without TLS where the deployment lists it', async () => {
    await expect(send({ status: 200 }, { egress: { allowedNetworks: ['127.0.0.1'] } })).resolves.toMatchObject({ code: '200' })
    await expect(send({ status: 200 }, { egress: { allowedNetworks: ['127.0.0.2'] } })).rejects.toMatchObject({
      code: 'address_not_allowed',
    })
  })

  it('is not reached over a redirect', async () => {
    await expect(send({ status: 307, headers: { location: 'http://127.0.0.1:1/' } })).rejects.toMatchObject({
      code: 'http_307',
      retryable: false,
    })
  })
})

describe('a URL', () => {
  it.each(['ftp://example.com/', 'https://user:pass@example.com/', 'https://example.com/#x', 'file:///etc/passwd', '', 'example.com'])(
    '%j is refused',
    (url) => {
      expect(webhook.secrets.safeParse({ urls: { ops: url }, signing_secret }).success).toBe(false)
    },
  )

  it.each(['constructor', 'other'])('that is not there under the name %s fails for good', async (target) => {
    const courier = createCourier()
    const credential = { settings: {}, secrets: { urls: { ops: 'https://example.com/' }, signing_secret } }
    await expect(courier.deliver({ provider: webhook, credential, message: outgoing({ target }) })).rejects.toMatchObject({
      kind: 'target',
      code: 'name_unknown',
      retryable: false,
    })
  })

  it('is no target, not even one that is stored', async () => {
    const result = webhook.parseTarget('https://example.com/hook')
    expect(result).toMatchObject({ ok: false, message: expect.stringContaining('A URL is a secret') })
  })
})

it('is checked with a request that carries no message', async () => {
  server = await startRecordingServer(() => ({ status: 405 }))
  const courier = createCourier()
  const credential = { settings: {}, secrets: { urls: { ops: server.url }, signing_secret }, trusted: true }
  expect(await courier.check({ provider: webhook, credential, target: 'ops' })).toMatchObject([{ name: 'reach', ok: true }])
  expect(server.requests).toMatchObject([{ method: 'HEAD', body: '' }])
  expect(await courier.check({ provider: webhook, credential, target: 'dev' })).toMatchObject([{ ok: false, code: 'name_unknown' }])
})
