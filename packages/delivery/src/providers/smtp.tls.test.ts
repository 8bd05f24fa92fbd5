import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterEach, describe, expect, it } from 'vitest'
import { deliverOnce, outgoing } from '../../test/delivery-case.ts'
import { certificate, certificateKey } from '../../test/tls-fixture.ts'
import { createCourier } from '../courier.ts'
import { createSmtp, smtp } from './smtp.ts'

const password = 'correct horse battery staple'
const received: string[] = []
let server: SMTPServer

async function start(options: SMTPServerOptions = {}): Promise<number> {
  received.length = 0
  server = new SMTPServer({
    key: certificateKey,
    cert: certificate,
    logger: false,
    onAuth: (auth, _session, callback) =>
      auth.username === 'robot' && auth.password === password ? callback(null, { user: 'robot' }) : callback(new Error('Bad credentials')),
    onData: (stream, session, callback) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        received.push(`${session.secure ? 'secure' : 'plain'} ${session.user ?? 'nobody'} ${Buffer.concat(chunks).toString('utf8')}`)
        callback(null, 'Ok')
      })
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.server.address() as AddressInfo).port
}

afterEach(() => new Promise<void>((resolve) => server.close(() => resolve())))

const trusting = createSmtp({ tls: { ca: certificate } })
const credential = (port: number, settings = {}, secret = password) => ({
  settings: { host: 'localhost', port, user: 'robot', from: 'no-reply@sender.example', ...settings },
  secrets: { password: secret },
  trusted: true,
})

describe('an encrypted connection', () => {
  it('is made with STARTTLS and a login by default', async () => {
    const port = await start()
    const { result } = await deliverOnce(trusting, credential(port), outgoing())
    expect(result?.response).toMatch(/^250/)
    expect(received[0]).toMatch(/^secure robot [\s\S]*Hello/)
  })

  it('is made with TLS from the first byte when the settings say so', async () => {
    const port = await start({ secure: true })
    const { result } = await deliverOnce(trusting, credential(port, { security: 'tls' }), outgoing())
    expect(result?.response).toMatch(/^250/)
    expect(received[0]).toMatch(/^secure robot /)
  })

  it('fails on a certificate that is not trusted, and nothing is sent', async () => {
    const port = await start()
    const { error } = await deliverOnce(smtp, credential(port), outgoing())
    expect(error).toMatchObject({ kind: 'provider', code: 'tls_failed', retryable: true })
    expect(received).toEqual([])
  })

  it('is insisted on when the server does not offer it, and the password is not sent', async () => {
    let asked = false
    const port = await start({
      hideSTARTTLS: true,
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: (_auth, _session, callback) => {
        asked = true
        callback(null, { user: 'robot' })
      },
    })
    const { error } = await deliverOnce(trusting, credential(port), outgoing())
    expect(error).toMatchObject({ kind: 'provider', retryable: true })
    expect(asked).toBe(false)
  })
})

describe('a login', () => {
  it('with a wrong password fails for good and does not repeat the password', async () => {
    const port = await start()
    const { error } = await deliverOnce(trusting, credential(port, {}, 'wrong-password'), outgoing())
    expect(error).toMatchObject({ kind: 'credential', retryable: false })
    expect(JSON.stringify(error?.toFailure())).not.toContain('wrong-password')
  })

  it('that the server does not offer fails for good', async () => {
    const port = await start({ authOptional: true, disabledCommands: ['AUTH'] })
    const { error } = await deliverOnce(trusting, credential(port), outgoing())
    expect(error).toMatchObject({ kind: 'credential', code: 'authentication_not_offered', retryable: false })
  })

  it('without a password fails before connecting', async () => {
    const port = await start()
    const { error } = await deliverOnce(trusting, { ...credential(port), secrets: {} }, outgoing())
    expect(error).toMatchObject({ kind: 'credential', code: 'password_missing' })
  })
})

describe('a check', () => {
  it('connects and logs in without sending anything', async () => {
    const port = await start()
    const courier = createCourier()
    const good = await courier.check({ provider: trusting, credential: credential(port) })
    const bad = await courier.check({ provider: trusting, credential: credential(port, {}, 'wrong-password') })
    const unreachable = await courier.check({ provider: smtp, credential: credential(port) })
    await courier.close()
    expect(good.map(({ name, ok }) => [name, ok])).toEqual([
      ['connect', true],
      ['authenticate', true],
    ])
    expect(bad.map(({ name, ok }) => [name, ok])).toEqual([
      ['connect', true],
      ['authenticate', false],
    ])
    expect(unreachable).toMatchObject([{ name: 'connect', ok: false, code: 'tls_failed' }])
    expect(received).toEqual([])
  })

  it('does not say that it connected where it may not', async () => {
    const port = await start()
    const courier = createCourier({ egress: { allowedNetworks: ['127.0.0.0/8'] } })
    const tenants = { ...credential(port), trusted: false }
    const refusedPort = await courier.check({
      provider: trusting,
      credential: { ...tenants, settings: { ...tenants.settings, host: '1.1.1.1', port: 22 } },
    })
    const refusedAddress = await courier.check({
      provider: trusting,
      credential: { ...tenants, settings: { ...tenants.settings, host: '10.0.0.1', port: 587 } },
    })
    await courier.close()
    expect(refusedPort).toMatchObject([{ name: 'connect', ok: false, code: 'port_not_allowed' }])
    expect(refusedAddress).toMatchObject([{ name: 'connect', ok: false, code: 'address_not_allowed' }])
  })
})

describe('internationalised addresses', () => {
  it('go out with SMTPUTF8', async () => {
    let parameters: unknown
    const port = await start({
      onMailFrom: (address, _session, callback) => {
        parameters = address.args
        callback()
      },
    })
    const { result } = await deliverOnce(trusting, credential(port), outgoing({ target: 'ädä@exämple.com' }))
    expect(result?.response).toMatch(/^250/)
    expect(parameters).toMatchObject({ SMTPUTF8: true })
    expect(received[0]).toContain('To: ädä@')
  })

  it('are refused clearly when the server cannot take them', async () => {
    const port = await start({ hideSMTPUTF8: true })
    const { error } = await deliverOnce(trusting, credential(port), outgoing({ target: 'ädä@exämple.com' }))
    expect(error).toMatchObject({ kind: 'target', code: 'smtputf8_unsupported', retryable: false })
  })

  it('in the domain alone go out in ASCII to any server', async () => {
    const port = await start({ hideSMTPUTF8: true })
    const { result } = await deliverOnce(trusting, credential(port), outgoing({ target: 'ada@exämple.com' }))
    expect(result?.response).toMatch(/^250/)
    expect(received[0]).toContain('To: ada@xn--exmple-cua.com')
  })
})

it('refuses a message over the size that the server announces, before sending it', async () => {
  const port = await start({ size: 1000 })
  const { error } = await deliverOnce(trusting, credential(port), outgoing({ content: { subject: 's', text: 'word '.repeat(1000) } }))
  expect(error).toMatchObject({ kind: 'content', code: 'message_too_large', retryable: false })
  expect(received).toEqual([])
})
