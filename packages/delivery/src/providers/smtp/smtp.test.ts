import type { Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createMessage, deliverOnce } from '../../../test/fixtures.ts'
import { type Script, type ScriptedSmtpServer, startScriptedSmtpServer } from '../../../test/scripted-smtp-server.ts'
import { captureMessage } from '../../capture.ts'
import { createProviderClient } from '../../client/provider-client.ts'
import type { DeliveryError } from '../../delivery-error.ts'
import type { OutgoingMessage } from '../../provider.ts'
import { smtp } from './smtp.ts'

let server: ScriptedSmtpServer
const from = 'Flowpost <no-reply@sender.example>'
const password = 'correct horse battery staple'

afterEach(() => server.close())

const createCredential = (port: number, settings = {}) => ({
  settings: { host: '127.0.0.1', port, security: 'none', from, ...settings },
  secrets: {},
  trusted: true,
})
const createLoginCredential = (port: number) => ({ ...createCredential(port, { user: 'robot' }), secrets: { password } })

async function failWith(script: Script, overrides: Partial<OutgoingMessage> = {}, timeoutMs?: number): Promise<DeliveryError> {
  server = await startScriptedSmtpServer(script)
  const { error } = await deliverOnce(smtp, createLoginCredential(server.port), createMessage(overrides), timeoutMs)
  if (!error) throw new Error('The message was accepted.')
  return error
}

describe('send', () => {
  it("transfers the composed bytes, with the delivery's Message-ID and Date", async () => {
    server = await startScriptedSmtpServer()
    const message = createMessage({
      content: {
        subject: 'Ünïcode 🚀 subject',
        text: '.leading dot\n..two\nlong '.concat('x'.repeat(300), '\r\nende\rlast'),
        html: '<p>Ü &amp; 🚀</p>\n.',
      },
    })
    const { result } = await deliverOnce(smtp, createLoginCredential(server.port), message)
    const composed = await captureMessage(smtp, message, createCredential(1).settings)
    expect(server.messages).toEqual([composed.raw.endsWith('\r\n') ? composed.raw : `${composed.raw}\r\n`])
    expect(composed.raw).toContain('Message-ID: <dlv_01h455vb4pex5vsknk084sn02q@sender.example>\r\n')
    expect(composed.raw).toContain('Date: Fri, 02 Jan 2026 03:04:05 +0000\r\n')
    expect(result).toEqual({
      providerMessageId: '<dlv_01h455vb4pex5vsknk084sn02q@sender.example>',
      response: '250 2.0.0 Ok: queued as ABC123',
      code: '250 2.0.0',
    })
    expect(server.commands).toContain('MAIL FROM:<no-reply@sender.example>')
    expect(server.commands).toContain('RCPT TO:<ada@example.com>')
  })

  it('reuses the connection of the previous message', async () => {
    server = await startScriptedSmtpServer()
    const client = createProviderClient()
    for (let number = 0; number < 5; number += 1) {
      await client.deliver({ provider: smtp, credential: createLoginCredential(server.port), message: createMessage() })
    }
    await client.close()
    expect(server.connections()).toBe(1)
    expect(server.messages).toHaveLength(5)
  })
})

describe('a reply', () => {
  const cases: [name: string, script: Script, kind: string, code: string, retryable: boolean][] = [
    ['to a wrong password', { AUTH: '535 5.7.8 Bad credentials' }, 'credential', '5.7.8', false],
    ['to a login during an outage', { AUTH: '454 4.7.0 Temporary authentication failure' }, 'provider', '4.7.0', true],
    ['to an unknown recipient', { RCPT: '550 5.1.1 No such user' }, 'target', '5.1.1', false],
    ['to an unknown recipient without an enhanced code', { RCPT: '550 No such user' }, 'target', '550', false],
    ['to a temporarily full mailbox', { RCPT: '452 4.2.2 Mailbox full' }, 'target', '4.2.2', true],
    // If greylisting were a `provider` failure, it would open the circuit breaker for every tenant on the server.
    ['to greylisting', { RCPT: '451 4.7.1 Greylisted' }, 'target', '4.7.1', true],
    ['to greylisting without an enhanced code', { RCPT: '450 Greylisted' }, 'target', '450', true],
    ['to a deferred message', { message: '451 4.7.1 Suspicious' }, 'content', '4.7.1', true],
    ['to a recipient during a server failure', { RCPT: '451 4.3.0 Queue file write error' }, 'provider', '4.3.0', true],
    ['to a recipient during a shutdown', { RCPT: '421 Shutting down' }, 'provider', '421', true],
    ['to a recipient during a shutdown with the code of a mailbox', { RCPT: '421 4.2.1 Shutting down' }, 'provider', '4.2.1', true],
    ['to denied relaying', { RCPT: '554 5.7.1 Relay access denied' }, 'credential', '5.7.1', false],
    ['to a recipient who blocks the sender', { RCPT: '550 5.7.1 Blocked by policy' }, 'target', '5.7.1', false],
    ['to a forbidden sender', { MAIL: '550 5.7.1 Not your address' }, 'credential', '5.7.1', false],
    ['to a missing login', { MAIL: '530 5.7.0 Authentication required' }, 'credential', '5.7.0', false],
    ['to a message that is too large', { MAIL: '552 5.3.4 Too large' }, 'content', '5.3.4', false],
    ['to a message classified as spam', { message: '554 5.7.1 Spam' }, 'content', '5.7.1', false],
    ['to an unauthenticated message', { message: '550 5.7.26 Unauthenticated' }, 'credential', '5.7.26', false],
    ['to a flood of mail', { message: '550 5.7.28 Unusual rate of unsolicited mail' }, 'rate', '5.7.28', false],
    ['at the daily limit of Gmail', { MAIL: '550 5.4.5 Daily SMTP relay limit exceeded for user' }, 'rate', '5.4.5', false],
    ['to DATA at the daily limit of Gmail', { DATA: '550 5.4.5 Daily user sending limit exceeded' }, 'rate', '5.4.5', false],
    ['at the daily limit of Microsoft 365', { message: "550 5.1.90 You've reached your daily limit" }, 'rate', '5.1.90', false],
    ['to a domain that accepts no mail', { RCPT: '556 5.1.10 Null MX' }, 'target', '5.1.10', false],
    ['to a disabled mailbox', { RCPT: '550 5.2.1 Disabled' }, 'target', '5.2.1', false],
    ['to a permanently full mailbox', { RCPT: '552 5.2.2 Over quota' }, 'target', '5.2.2', false],
    ['to a full mailbox without an enhanced code', { RCPT: '552 Mailbox full' }, 'target', '552', false],
    ['to an unroutable address', { RCPT: '550 5.4.4 Unable to route' }, 'target', '5.4.4', false],
    ['to missing encryption', { MAIL: '530 5.7.10 Encryption needed' }, 'credential', '5.7.10', false],
    ['to too many messages', { message: '421 4.7.28 Unusual rate of mail' }, 'rate', '4.7.28', true],
    ['to a full disk', { message: '452 4.3.1 Insufficient storage' }, 'provider', '4.3.1', true],
    ['from a server during a shutdown', { greeting: '421 4.3.2 Shutting down' }, 'provider', '4.3.2', true],
    ['from a server that accepts no mail', { greeting: '554 No SMTP service here' }, 'provider', '554', false],
    ['to a command in the wrong order', { MAIL: '503 5.5.1 Bad sequence of commands' }, 'provider', '5.5.1', true],
    ['to a login that the server does not allow', { AUTH: '503 5.5.1 Authentication not enabled' }, 'credential', '5.5.1', false],
    ['to rejected DATA', { DATA: '554 5.5.1 No valid recipients' }, 'provider', '5.5.1', false],
  ]
  it.each(cases)('%s %o is classified as %s %s, retryable %s', async (_, script, kind, code, retryable) => {
    const error = await failWith(script)
    expect(error).toMatchObject({ kind, code, retryable })
    const reply = Object.values(script)[0] as string
    // A greeting is not a reply to the message, so it is not reported.
    expect(error.providerResponse).toBe('greeting' in script ? undefined : reply)
    expect(error.detail).toMatch(/^The SMTP server [a-z ,]+\. The server replied \d{3}(?: \d\.\d+\.\d+)?\.$/)
  })
})

describe('a name in a reply does not affect its classification', () => {
  it.each(['ada@relay.example', 'relay@example.com', 'ada@example.com'])('%s as an unknown recipient', async (target) => {
    const error = await failWith({ RCPT: `550 <${target}>: Recipient address rejected: User unknown` }, { target })
    expect(error.kind).toBe('target')
  })

  it.each(['ada@rate.example', 'exchange-rate@example.com'])('%s as a greylisted recipient', async (target) => {
    const domain = target.split('@')[1]
    const RCPT = `451 4.7.1 <${target}>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch/help/${domain}.html`
    expect((await failWith({ RCPT }, { target })).kind).toBe('target')
  })
})

it("counts Gmail's limit for one recipient as a target failure", async () => {
  const text = ['The user you are trying to contact is receiving mail at a rate that', 'prevents additional messages from being delivered.']
  const error = await failWith({ RCPT: `450-4.2.1 ${text[0]}\r\n450 4.2.1 ${text[1]}` })
  expect(error).toMatchObject({ kind: 'target', code: '4.2.1', retryable: true })
})

describe.each([
  ['reply_to', { reply_to: 'zoë@sender.example' }],
  ['from, with a bounce_address', { from: 'zoë@sender.example', bounce_address: 'bounces@sender.example' }],
])('a non-ASCII %s', (_, settings) => {
  it('is sent with SMTPUTF8', async () => {
    server = await startScriptedSmtpServer()
    const { result } = await deliverOnce(smtp, createCredential(server.port, settings), createMessage())
    expect(result).toBeDefined()
    expect(server.commands.find((command) => command.startsWith('MAIL'))).toMatch(/> .*\bSMTPUTF8$/)
  })

  it('is not sent to a server without SMTPUTF8', async () => {
    server = await startScriptedSmtpServer({ EHLO: '250-test\r\n250 8BITMIME' })
    const { error } = await deliverOnce(smtp, createCredential(server.port, settings), createMessage())
    expect(error).toMatchObject({ kind: 'target', code: 'smtputf8_unsupported' })
    expect(server.messages).toEqual([])
  })
})

describe('a lost connection', () => {
  it('is retryable before the message', async () => {
    expect(await failWith({ DATA: 'close' })).toMatchObject({ kind: 'provider', code: 'connection_lost', retryable: true })
  })

  it('is retryable before the greeting', async () => {
    expect(await failWith({ greeting: 'close' })).toMatchObject({ kind: 'provider', code: 'connection_lost', retryable: true })
  })

  it('is ambiguous after the final dot', async () => {
    expect(await failWith({ message: 'close' })).toMatchObject({ kind: 'ambiguous', code: 'connection_lost', retryable: true })
  })

  it('is retryable in the middle of a large message', async () => {
    const error = await failWith(
      { DATA: (socket) => void socket.write('354 Go\r\n', () => socket.pause().setTimeout(50, () => socket.destroy())) },
      { content: { subject: 's', text: 'line of text\n'.repeat(500_000) } },
    )
    expect(error).toMatchObject({ kind: 'provider', code: 'connection_lost', retryable: true })
  })

  it('is retryable when the connection is refused', async () => {
    server = await startScriptedSmtpServer()
    await server.close()
    const { error } = await deliverOnce(smtp, createCredential(server.port), createMessage())
    expect(error).toMatchObject({ kind: 'provider', code: 'connection_refused', retryable: true })
  })

  it('does not affect the next message when the connection was idle', async () => {
    server = await startScriptedSmtpServer()
    const client = createProviderClient()
    const send = () => client.deliver({ provider: smtp, credential: createLoginCredential(server.port), message: createMessage() })
    await send()
    for (const socket of server.sockets) socket.destroy()
    await send()
    await client.close()
    expect(server.messages).toHaveLength(2)
  })

  it('does not fail the message after reply 421 on a reused connection', async () => {
    server = await startScriptedSmtpServer({ MAIL: [undefined, '421 4.4.2 Idle too long'] })
    const client = createProviderClient()
    const send = () => client.deliver({ provider: smtp, credential: createLoginCredential(server.port), message: createMessage() })
    await send()
    await send()
    await client.close()
    expect(server.connections()).toBe(2)
    expect(server.messages).toHaveLength(2)
  })
})

describe('a timeout', () => {
  it.each<[string, string, Script]>([
    ['retryable at the greeting', 'provider', { greeting: 'silence' }],
    ['retryable before the message', 'provider', { RCPT: 'silence' }],
    ['ambiguous after the final dot', 'ambiguous', { message: 'silence' }],
  ])('is %s', async (_, kind, script) => {
    expect(await failWith(script, {}, 300)).toMatchObject({ kind, code: 'timed_out', retryable: true })
  })

  it('is retryable in the middle of a large message', async () => {
    const DATA = (socket: Socket) => void socket.write('354 Go\r\n', () => socket.pause())
    const error = await failWith({ DATA }, { content: { subject: 's', text: 'line of text\n'.repeat(500_000) } }, 1_500)
    expect(error).toMatchObject({ kind: 'provider', code: 'timed_out', retryable: true })
  })
})

it('passes the step `connect` of a check if the server then requires authentication', async () => {
  server = await startScriptedSmtpServer({ greeting: '530 5.7.0 Authentication required' })
  expect(await createProviderClient().check({ provider: smtp, credential: createCredential(server.port) })).toMatchObject([
    { name: 'connect', ok: true },
    { name: 'authenticate', ok: false, code: '5.7.0' },
  ])
})

it('accepts a reply that arrived while the process was blocked for longer than the timeout', async () => {
  const replyAndBlock = (socket: Socket) => {
    socket.write('250 2.0.0 Ok\r\n')
    const untilMs = performance.now() + 400
    while (performance.now() < untilMs);
  }
  server = await startScriptedSmtpServer({ message: replyAndBlock })
  const { result } = await deliverOnce(smtp, createLoginCredential(server.port), createMessage(), 300)
  expect(result?.response).toBe('250 2.0.0 Ok')
})

it('closes the connection to a server that does not reply to RSET', async () => {
  server = await startScriptedSmtpServer({ RCPT: '550 5.1.1 Unknown', RSET: 'silence' })
  const client = createProviderClient({ timeoutMs: 200 })
  const credential = createLoginCredential(server.port)
  const call = { provider: smtp, credential, message: createMessage(), signal: new AbortController().signal }
  await expect(client.deliver(call)).rejects.toMatchObject({ code: '5.1.1' })
  expect(server.sockets.size).toBe(1)
  await expect.poll(() => server.sockets.size).toBe(0)
  await client.close()
})
