import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createMessage } from '../../test/fixtures.ts'
import { createProviderClient, type DeliveryError, type EgressPolicy, webhook } from '../index.ts'

/** Delivers a message through a tenant's webhook, and returns the error. */
const deliverAndFail = async (url: string, resolve: () => Promise<string[]>): Promise<DeliveryError> => {
  const egress: EgressPolicy = { allowedNetworks: ['127.0.0.0/8'], plainHttp: true, httpPorts: 'any', resolve }
  const client = createProviderClient({ timeoutMs: 300, egress })
  onTestFinished(() => client.close())
  const secrets = { urls: { ops: url }, signing_secret: `whsec_${'A'.repeat(32)}` }
  const message = createMessage({ target: 'ops' })
  return client.deliver({ provider: webhook, credential: { settings: {}, secrets }, message }).then(
    () => expect.fail('The message was delivered.'),
    (error) => error,
  )
}

/** Starts a server that accepts connections and sends nothing. */
const startSilentServer = async (): Promise<number> => {
  const sockets: Socket[] = []
  const server = createServer((socket) => sockets.push(socket.on('error', () => {})))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const resolve = async () => ['127.0.0.1']

it.each([
  ['the DNS lookup', () => new Promise<string[]>(() => {})],
  ['the TLS handshake', resolve],
])('reports a message as not sent when the timeout occurs during %s', async (_, resolveHost) => {
  const url = `https://hooks.example.com:${await startSilentServer()}/`
  expect(await deliverAndFail(url, resolveHost)).toMatchObject({ kind: 'provider', code: 'timed_out' })
})

it('reports a message as ambiguous when the host does not respond to the request', async () => {
  const plain = `http://127.0.0.1:${await startSilentServer()}/`
  expect(await deliverAndFail(plain, resolve)).toMatchObject({ kind: 'ambiguous', code: 'timed_out' })
})
