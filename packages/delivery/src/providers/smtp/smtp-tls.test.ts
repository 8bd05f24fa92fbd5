import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterEach, describe, expect, it } from 'vitest'
import { createMessage, deliverOnce } from '../../../test/fixtures.ts'
import { certificate, certificateKey } from '../../../test/tls-fixture.ts'
import { createProviderClient } from '../../client/provider-client.ts'
import { createSmtp, smtp } from './smtp.ts'

const password = 'correct horse battery staple'
const received: string[] = []
let server: SMTPServer

async function startServer(options: SMTPServerOptions = {}): Promise<number> {
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

const smtpWithCa = createSmtp({ tls: { ca: certificate } })
const createCredential = (port: number, settings = {}, secret = password) => ({
  settings: { host: 'localhost', port, user: 'robot', from: 'no-reply@sender.example', ...settings },
  secrets: { password: secret },
  trusted: true,
})

describe('TLS', () => {
  it('uses STARTTLS and authentication by default', async () => {
    const port = await startServer()
    const { result } = await deliverOnce(smtpWithCa, createCredential(port), createMessage())
    expect(result?.response).toMatch(/^250/)
    expect(received[0]).toMatch(/^secure robot [\s\S]*Hello/)
  })

  it('uses implicit TLS if security is tls', async () => {
    const port = await startServer({ secure: true })
    const { result } = await deliverOnce(smtpWithCa, createCredential(port, { security: 'tls' }), createMessage())
    expect(result?.response).toMatch(/^250/)
    expect(received[0]).toMatch(/^secure robot /)
  })

  it('sends nothing to a server with an untrusted certificate', async () => {
    const port = await startServer()
    const { error } = await deliverOnce(smtp, createCredential(port), createMessage())
    expect(error).toMatchObject({ kind: 'provider', code: 'tls_failed', retryable: true })
    expect(received).toEqual([])
  })

  it('does not send the password to a server without STARTTLS', async () => {
    let passwordSent = false
    const port = await startServer({
      hideSTARTTLS: true,
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: (_auth, _session, callback) => {
        passwordSent = true
        callback(null, { user: 'robot' })
      },
    })
    const { error } = await deliverOnce(smtpWithCa, createCredential(port), createMessage())
    expect(error).toMatchObject({ kind: 'provider', retryable: true })
    expect(passwordSent).toBe(false)
  })
})

describe('authentication', () => {
  it('fails permanently with a wrong password and does not reveal it', async () => {
    const port = await startServer()
    const { error } = await deliverOnce(smtpWithCa, createCredential(port, {}, 'wrong-password'), createMessage())
    expect(error).toMatchObject({ kind: 'credential', retryable: false })
    expect(JSON.stringify(error?.toFailure())).not.toContain('wrong-password')
  })

  it('fails permanently when the server does not offer authentication', async () => {
    const port = await startServer({ authOptional: true, disabledCommands: ['AUTH'] })
    const { error } = await deliverOnce(smtpWithCa, createCredential(port), createMessage())
    expect(error).toMatchObject({ kind: 'credential', code: 'authentication_not_offered', retryable: false, providerResponse: undefined })
  })

  it('fails before connecting when the password is missing', async () => {
    const port = await startServer()
    const { error } = await deliverOnce(smtpWithCa, { ...createCredential(port), secrets: {} }, createMessage())
    expect(error).toMatchObject({ kind: 'credential', code: 'password_missing' })
  })
})

describe('check', () => {
  it('connects and authenticates without sending a message', async () => {
    const port = await startServer()
    const client = createProviderClient()
    const succeeded = await client.check({ provider: smtpWithCa, credential: createCredential(port) })
    const rejected = await client.check({ provider: smtpWithCa, credential: createCredential(port, {}, 'wrong-password') })
    const unreachable = await client.check({ provider: smtp, credential: createCredential(port) })
    await client.close()
    expect(succeeded.map(({ name, ok }) => [name, ok])).toEqual([
      ['connect', true],
      ['authenticate', true],
    ])
    expect(rejected.map(({ name, ok }) => [name, ok])).toEqual([
      ['connect', true],
      ['authenticate', false],
    ])
    expect(unreachable).toMatchObject([{ name: 'connect', ok: false, code: 'tls_failed' }])
    expect(received).toEqual([])
  })

  it('reports a failed connection for a forbidden port or address', async () => {
    const port = await startServer()
    const client = createProviderClient({ egress: { allowedNetworks: ['127.0.0.0/8'] } })
    const tenantCredential = { ...createCredential(port), trusted: false }
    const forbiddenPort = await client.check({
      provider: smtpWithCa,
      credential: { ...tenantCredential, settings: { ...tenantCredential.settings, host: '1.1.1.1', port: 22 } },
    })
    const forbiddenAddress = await client.check({
      provider: smtpWithCa,
      credential: { ...tenantCredential, settings: { ...tenantCredential.settings, host: '10.0.0.1', port: 587 } },
    })
    await client.close()
    expect(forbiddenPort).toMatchObject([{ name: 'connect', ok: false, code: 'port_not_allowed' }])
    expect(forbiddenAddress).toMatchObject([{ name: 'connect', ok: false, code: 'address_not_allowed' }])
  })
})

describe('an internationalized address', () => {
  it('is sent with SMTPUTF8', async () => {
    let parameters: unknown
    const port = await startServer({
      onMailFrom: (address, _session, callback) => {
        parameters = address.args
        callback()
      },
    })
    const { result } = await deliverOnce(smtpWithCa, createCredential(port), createMessage({ target: 'ädä@exämple.com' }))
    expect(result?.response).toMatch(/^250/)
    expect(parameters).toMatchObject({ SMTPUTF8: true })
    expect(received[0]).toContain('To: ädä@')
  })

  it('is rejected when the server lacks SMTPUTF8', async () => {
    const port = await startServer({ hideSMTPUTF8: true })
    const { error } = await deliverOnce(smtpWithCa, createCredential(port), createMessage({ target: 'ädä@exämple.com' }))
    expect(error).toMatchObject({ kind: 'target', code: 'smtputf8_unsupported', retryable: false, providerResponse: undefined })
  })

  it('is sent in ASCII when only the domain is internationalized', async () => {
    const port = await startServer({ hideSMTPUTF8: true })
    const { result } = await deliverOnce(smtpWithCa, createCredential(port), createMessage({ target: 'ada@exämple.com' }))
    expect(result?.response).toMatch(/^250/)
    expect(received[0]).toContain('To: ada@xn--exmple-cua.com')
  })
})

it("rejects a message over the server's SIZE limit before sending it", async () => {
  const port = await startServer({ size: 1000 })
  const { error } = await deliverOnce(
    smtpWithCa,
    createCredential(port),
    createMessage({ content: { subject: 's', text: 'word '.repeat(1000) } }),
  )
  expect(error).toMatchObject({ kind: 'content', code: 'message_too_large', retryable: false, providerResponse: undefined })
  expect(received).toEqual([])
})
