import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createMessage, deliverOnce } from '../../../test/fixtures.ts'
import { type Script, startScriptedSmtpServer } from '../../../test/scripted-smtp-server.ts'
import { createProviderClient } from '../../client/provider-client.ts'
import { createSmtp, smtp } from './smtp.ts'

const ehlo = '250-test\r\n250-PIPELINING\r\n250 8BITMIME'
const credentialFor = (port: number) => ({
  settings: { host: '127.0.0.1', port, security: 'none', from: 'a@sender.example' },
  secrets: {},
  trusted: true,
})

it.each<[string, Script, object]>([
  ['sender', { MAIL: (socket) => socket.end('550 5.7.1 Sender blocked\r\n') }, { kind: 'credential', code: '5.7.1' }],
  ['recipient', { RCPT: (socket) => socket.end('550 5.1.1 No such user\r\n') }, { kind: 'target', code: '5.1.1' }],
])('reports the rejection of the %s although the server then closes the connection', async (_what, script, expected) => {
  const server = await startScriptedSmtpServer({ EHLO: ehlo, ...script })
  onTestFinished(() => server.close())
  const { error } = await deliverOnce(smtp, credentialFor(server.port), createMessage())
  expect(error).toMatchObject({ ...expected, retryable: false })
})

/** Starts a server that rejects the first message while it is being written, and then never replies on that connection again. */
const startEarlyRejection = async () => {
  let connections = 0
  const server = createServer((socket: Socket) => {
    connections += 1
    const isFirst = connections === 1
    let bytesOfMessage: number | undefined
    let isRejected = false
    socket.on('error', () => {})
    socket.write('220 test\r\n')
    socket.on('data', (chunk) => {
      if (bytesOfMessage === undefined) {
        const text = String(chunk)
        if (text.startsWith('EHLO')) socket.write(`${ehlo}\r\n`)
        else if (text.includes('DATA\r\n')) {
          bytesOfMessage = 0
          socket.write('250 Ok\r\n250 Ok\r\n354 Go ahead\r\n')
        }
        return
      }
      bytesOfMessage += chunk.length
      if (!isFirst && chunk.includes('\r\n.\r\n')) socket.write('250 Ok\r\n')
      if (isFirst && !isRejected && bytesOfMessage > 100_000) {
        isRejected = true
        socket.write('552 5.3.4 Too big\r\n')
      }
    })
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

it('closes the connection if the server rejects a message that is only partly written', async () => {
  const credential = credentialFor(await startEarlyRejection())
  // The time limit is longer than the test's timeout.
  const client = createProviderClient({ timeoutMs: 300_000 })
  onTestFinished(() => client.close())
  const provider = createSmtp({ maxConnections: 1 })
  const large = createMessage({ content: { subject: 's', text: 'Hello world, a line.\n'.repeat(300_000) } })
  const rejected = client.deliver({ provider, credential, message: large }).catch((error: unknown) => error)
  const next = client.deliver({ provider, credential, message: createMessage({ target: 'b@example.com' }) })
  expect(await rejected).toMatchObject({ kind: 'content', code: '5.3.4' })
  expect(await next).toMatchObject({ response: '250 Ok' })
})
