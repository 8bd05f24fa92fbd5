import type { Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { deliverOnce, outgoing } from '../../test/delivery-case.ts'
import { type Script, type ScriptedSmtpServer, startScriptedSmtpServer } from '../../test/scripted-smtp-server.ts'
import { createCourier } from '../courier.ts'
import type { DeliveryError } from '../delivery-error.ts'
import type { OutgoingMessage } from '../provider.ts'
import { captureMessage } from './capture.ts'
import { smtp } from './smtp.ts'

let server: ScriptedSmtpServer
const from = 'Flowpost <no-reply@sender.example>'
const password = 'correct horse battery staple'

afterEach(() => server.close())

const credentialFor = (port: number, settings = {}) => ({
  settings: { host: '127.0.0.1', port, security: 'none', from, ...settings },
  secrets: {},
  trusted: true,
})
const withLogin = (port: number) => ({ ...credentialFor(port, { user: 'robot' }), secrets: { password } })

async function failureWith(script: Script, changes: Partial<OutgoingMessage> = {}, timeoutMs?: number): Promise<DeliveryError> {
  server = await startScriptedSmtpServer(script)
  const { error } = await deliverOnce(smtp, withLogin(server.port), outgoing(changes), timeoutMs)
  if (!error) throw new Error('The message was accepted.')
  return error
}

describe('an accepted message', () => {
  it('arrives byte for byte as it was composed, with the identifier and date of the delivery', async () => {
    server = await startScriptedSmtpServer()
    const message = outgoing({
      content: {
        subject: 'Ünïcode 🚀 subject',
        text: '.leading dot\n..two\nlong '.concat('x'.repeat(300), '\r\nende\rlast'),
        html: '<p>Ü &amp; 🚀</p>\n.',
      },
    })
    const { result } = await deliverOnce(smtp, withLogin(server.port), message)
    const composed = await captureMessage(smtp, message, credentialFor(1).settings)
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

  it('goes over the connection of the one before', async () => {
    server = await startScriptedSmtpServer()
    const courier = createCourier()
    for (let number = 0; number < 5; number += 1) {
      await courier.deliver({ provider: smtp, credential: withLogin(server.port), message: outgoing() })
    }
    await courier.close()
    expect(server.connections()).toBe(1)
    expect(server.messages).toHaveLength(5)
  })
})

describe('a reply', () => {
  const cases: [name: string, script: Script, kind: string, code: string, retryable: boolean][] = [
    ['to a wrong password', { AUTH: '535 5.7.8 Bad credentials' }, 'credential', '5.7.8', false],
    ['to a login that is down', { AUTH: '454 4.7.0 Temporary authentication failure' }, 'provider', '4.7.0', true],
    ['to an unknown receiver', { RCPT: '550 5.1.1 No such user' }, 'target', '5.1.1', false],
    ['to an unknown receiver without an enhanced code', { RCPT: '550 No such user' }, 'target', '550', false],
    ['to a receiver whose mailbox is full for now', { RCPT: '452 4.2.2 Mailbox full' }, 'target', '4.2.2', true],
    // Not the server's own trouble: that would make a breaker keep back the mail of all who share the server.
    ['to greylisting', { RCPT: '451 4.7.1 Greylisted' }, 'target', '4.7.1', true],
    ['to greylisting without an enhanced code', { RCPT: '450 Greylisted' }, 'target', '450', true],
    ['to a message that is looked at again later', { message: '451 4.7.1 Suspicious' }, 'content', '4.7.1', true],
    ['to a receiver from a server in trouble', { RCPT: '451 4.3.0 Queue file write error' }, 'provider', '4.3.0', true],
    ['to a receiver from a server that shuts down', { RCPT: '421 Shutting down' }, 'provider', '421', true],
    ['to a relay that is denied', { RCPT: '554 5.7.1 Relay access denied' }, 'credential', '5.7.1', false],
    ['to a receiver who refuses the sender', { RCPT: '550 5.7.1 Blocked by policy' }, 'target', '5.7.1', false],
    ['to a sender that is not allowed', { MAIL: '550 5.7.1 Not your address' }, 'credential', '5.7.1', false],
    ['to a missing login', { MAIL: '530 5.7.0 Authentication required' }, 'credential', '5.7.0', false],
    ['to a message that is too large', { MAIL: '552 5.3.4 Too large' }, 'content', '5.3.4', false],
    ['to a message taken for spam', { message: '554 5.7.1 Spam' }, 'content', '5.7.1', false],
    ['to a message without proof of its sender', { message: '550 5.7.26 Unauthenticated' }, 'credential', '5.7.26', false],
    ['to a flood of mail', { message: '550 5.7.28 Unusual rate of unsolicited mail' }, 'rate', '5.7.28', false],
    ['to a domain that takes no mail', { RCPT: '556 5.1.10 Null MX' }, 'target', '5.1.10', false],
    ['to a mailbox that is disabled', { RCPT: '550 5.2.1 Disabled' }, 'target', '5.2.1', false],
    ['to a mailbox that is full for good', { RCPT: '552 5.2.2 Over quota' }, 'target', '5.2.2', false],
    ['to a route that there is none of', { RCPT: '550 5.4.4 Unable to route' }, 'target', '5.4.4', false],
    ['to an encryption that is required', { MAIL: '530 5.7.10 Encryption needed' }, 'credential', '5.7.10', false],
    ['to too many messages', { message: '421 4.7.28 Unusual rate of mail' }, 'rate', '4.7.28', true],
    ['to a full disk', { message: '452 4.3.1 Insufficient storage' }, 'provider', '4.3.1', true],
    ['of a server that shuts down', { greeting: '421 4.3.2 Shutting down' }, 'provider', '4.3.2', true],
    ['of a server that refuses all mail', { greeting: '554 No SMTP service here' }, 'provider', '554', false],
    ['to DATA that is refused', { DATA: '554 5.5.1 No valid recipients' }, 'provider', '5.5.1', false],
  ]
  it.each(cases)('%s is %o: %s %s, retryable %s', async (_, script, kind, code, retryable) => {
    const error = await failureWith(script)
    expect(error).toMatchObject({ kind, code, retryable })
    const said = Object.values(script)[0] as string
    // A greeting is a banner. Whatever was said is beside the detail, for whom the credential belongs to.
    expect(error.answer).toBe('greeting' in script ? undefined : said)
    expect(error.detail).toMatch(/^The SMTP server [a-z ,]+\. It answered \d{3}(?: \d\.\d+\.\d+)?\.$/)
  })
})

describe('a broken connection', () => {
  it('before the message is not sent and may be retried', async () => {
    expect(await failureWith({ DATA: 'close' })).toMatchObject({ kind: 'provider', code: 'connection_lost', retryable: true })
  })

  it('before the greeting is not sent and may be retried', async () => {
    expect(await failureWith({ greeting: 'close' })).toMatchObject({ kind: 'provider', code: 'connection_lost', retryable: true })
  })

  it('after the final dot leaves the outcome open', async () => {
    expect(await failureWith({ message: 'close' })).toMatchObject({ kind: 'ambiguous', code: 'connection_lost', retryable: true })
  })

  it('in the middle of a large message is not sent', async () => {
    const error = await failureWith(
      { DATA: (socket) => void socket.write('354 Go\r\n', () => socket.pause().setTimeout(50, () => socket.destroy())) },
      { content: { subject: 's', text: 'line of text\n'.repeat(500_000) } },
    )
    expect(error).toMatchObject({ kind: 'provider', code: 'connection_lost', retryable: true })
  })

  it('is a refusal when nothing listens', async () => {
    server = await startScriptedSmtpServer()
    await server.close()
    const { error } = await deliverOnce(smtp, credentialFor(server.port), outgoing())
    expect(error).toMatchObject({ kind: 'provider', code: 'connection_refused', retryable: true })
  })

  it('of an idle connection is not noticed by the next message', async () => {
    server = await startScriptedSmtpServer()
    const courier = createCourier()
    const send = () => courier.deliver({ provider: smtp, credential: withLogin(server.port), message: outgoing() })
    await send()
    for (const socket of server.sockets) socket.destroy()
    await send()
    await courier.close()
    expect(server.messages).toHaveLength(2)
  })

  it('answers 421 on a reused connection without failing the message', async () => {
    server = await startScriptedSmtpServer({ MAIL: [undefined, '421 4.4.2 Idle too long'] })
    const courier = createCourier()
    const send = () => courier.deliver({ provider: smtp, credential: withLogin(server.port), message: outgoing() })
    await send()
    await send()
    await courier.close()
    expect(server.connections()).toBe(2)
    expect(server.messages).toHaveLength(2)
  })
})

describe('a silent server', () => {
  it('before the message times out as not sent', async () => {
    expect(await failureWith({ RCPT: 'silence' }, {}, 300)).toMatchObject({ kind: 'provider', code: 'timed_out', retryable: true })
  })

  it('after the final dot times out with the outcome open', async () => {
    expect(await failureWith({ message: 'silence' }, {}, 300)).toMatchObject({ kind: 'ambiguous', code: 'timed_out', retryable: true })
  })

  it('at the greeting times out as not sent', async () => {
    expect(await failureWith({ greeting: 'silence' }, {}, 300)).toMatchObject({ kind: 'provider', code: 'timed_out', retryable: true })
  })
})

it('an answer counts that came while this process stood still for longer than an attempt may take', async () => {
  const answer = (socket: Socket) => {
    socket.write('250 2.0.0 Ok\r\n')
    const untilMs = performance.now() + 400
    while (performance.now() < untilMs);
  }
  server = await startScriptedSmtpServer({ message: answer })
  const { result } = await deliverOnce(smtp, withLogin(server.port), outgoing(), 300)
  expect(result?.response).toBe('250 2.0.0 Ok')
})

it('a server that answers neither a reset nor a goodbye keeps no connection for long', async () => {
  server = await startScriptedSmtpServer({ RCPT: ['550 5.1.1 Unknown', undefined], RSET: 'silence' })
  const courier = createCourier({ timeoutMs: 200 })
  const call = { provider: smtp, credential: withLogin(server.port), message: outgoing(), signal: new AbortController().signal }
  await expect(courier.deliver(call)).rejects.toMatchObject({ code: '5.1.1' })
  expect(server.sockets.size).toBe(1)
  await expect.poll(() => server.sockets.size).toBe(0)
  await courier.close()
})
