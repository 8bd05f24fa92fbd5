import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createMessage, createSampleProvider, sampleCredential } from '../../test/fixtures.ts'
import { certificate, certificateKey } from '../../test/tls-fixture.ts'
import { createProviderClient, type DeliveryError, type EgressPolicy, sendThroughEgress, webhook } from '../index.ts'

interface WebhookOptions {
  /** Resolves names. @default DNS */
  readonly resolve?: (() => Promise<string[]>) | undefined
  /** Whether the webhook was configured by the deployment rather than by a tenant. @default false */
  readonly trusted?: boolean
}

/** Delivers a message through a webhook, and returns the error. */
const deliverAndFail = async (url: string, { resolve, trusted = false }: WebhookOptions = {}): Promise<DeliveryError> => {
  const egress: EgressPolicy = { allowedNetworks: ['127.0.0.0/8'], plainHttp: true, httpPorts: 'any', ...(resolve && { resolve }) }
  const client = createProviderClient({ timeoutMs: 300, egress })
  onTestFinished(() => client.close())
  const secrets = { urls: { ops: url }, signing_secret: `whsec_${'A'.repeat(32)}` }
  const message = createMessage({ target: 'ops' })
  return client.deliver({ provider: webhook, credential: { settings: {}, secrets, trusted }, message }).then(
    () => expect.fail('The message was delivered.'),
    (error) => error,
  )
}

/** Starts a TCP server, and returns its port. */
const startServer = async (onConnection: (socket: Socket) => void): Promise<number> => {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}))
    onConnection(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** Starts a server that accepts connections and sends nothing. Calls `onData` when a connection receives its first bytes. */
const startSilentServer = (onData = (_: Socket) => {}): Promise<number> =>
  startServer((socket) => void socket.once('data', () => onData(socket)))

/** Starts a TLS server that responds to a request with a record that cannot be decrypted. Its certificate is trusted. */
const startCorruptServer = (): Promise<number> => {
  const trusted = getCACertificates('default')
  setDefaultCACertificates([certificate])
  onTestFinished(() => setDefaultCACertificates(trusted))
  const corruptRecord = Buffer.concat([Buffer.from([23, 3, 3, 0, 32]), Buffer.alloc(32)])
  return startServer((socket) => {
    const encrypted = new TLSSocket(socket, { isServer: true, key: certificateKey, cert: certificate })
    encrypted.on('error', () => {}).once('data', () => socket.write(corruptRecord))
  })
}

const resolve = async () => ['127.0.0.1']

it.each([
  ['the DNS lookup', () => new Promise<string[]>(() => {})],
  ['the TLS handshake', resolve],
])('reports a message as not sent when the timeout occurs during %s', async (_, resolveHost) => {
  const url = `https://hooks.example.com:${await startSilentServer()}/`
  expect(await deliverAndFail(url, { resolve: resolveHost })).toMatchObject({ kind: 'provider', code: 'timed_out' })
})

describe('a host that ends the connection', () => {
  it.each([
    ['closes', (socket: Socket) => socket.destroy()],
    ['resets', (socket: Socket) => socket.resetAndDestroy()],
  ])('and %s it during the TLS handshake has not received the message', async (_, onData) => {
    const url = `https://127.0.0.1:${await startSilentServer(onData)}/`
    expect(await deliverAndFail(url)).toMatchObject({ kind: 'provider', code: 'econnreset', detail: 'The provider could not be reached.' })
  })

  it('may have received the message if the connection was open', async () => {
    const plain = `http://127.0.0.1:${await startSilentServer((socket) => socket.resetAndDestroy())}/`
    expect(await deliverAndFail(plain)).toMatchObject({ kind: 'ambiguous', code: 'econnreset' })
  })
})

it.each([true, false])('reports a message with an invalid header as not sent (trusted: %s)', async (trusted) => {
  const client = createProviderClient()
  onTestFinished(() => client.close())
  const provider = createSampleProvider(async (context) => {
    await sendThroughEgress(context, 'https://hooks.example.com/', { method: 'POST', headers: { title: 'Ω' }, body: 'x' })
    return { providerMessageId: null, response: '' }
  })
  const call = { provider, credential: { ...sampleCredential, trusted }, message: createMessage({ target: 'room-1' }) }
  await expect(client.deliver(call)).rejects.toMatchObject({ kind: 'provider', code: 'provider_fault' })
})

it('reports a message as ambiguous when a TLS error occurs after the request was received', async () => {
  const url = `https://127.0.0.1:${await startCorruptServer()}/`
  expect(await deliverAndFail(url)).toMatchObject({ kind: 'ambiguous', code: 'err_ssl_decryption_failed_or_bad_record_mac' })
})

it("reports a message as not sent when no connection to the deployment's webhook could be opened", async () => {
  // The port is free, because its server has been closed.
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  const url = `http://127.0.0.1:${port}/`
  expect(await deliverAndFail(url, { trusted: true })).toMatchObject({ kind: 'provider', code: 'econnrefused' })
})

it.each(['foo..bar', `${'a'.repeat(64)}.example.com`])(
  'reports a message as not sent when DNS does not allow the name %s',
  async (host) => {
    expect(await deliverAndFail(`https://${host}/`)).toMatchObject({ kind: 'provider', code: 'ebadname' })
  },
)

it('reports a message as ambiguous when the host does not respond to the request', async () => {
  const plain = `http://127.0.0.1:${await startSilentServer()}/`
  expect(await deliverAndFail(plain, { resolve })).toMatchObject({ kind: 'ambiguous', code: 'timed_out' })
})
