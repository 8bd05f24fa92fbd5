import { describe, expect, it, onTestFinished } from 'vitest'
import { createMessage, deliverOnce } from '../../../test/fixtures.ts'
import { type Script, startScriptedSmtpServer } from '../../../test/scripted-smtp-server.ts'
import type { FailureKind } from '../../index.ts'
import { smtp } from './smtp.ts'

/** Sends a message to a server that replies as scripted, and returns the kind of the failure. */
const kindAfter = async (script: Script): Promise<FailureKind | undefined> => {
  const server = await startScriptedSmtpServer(script)
  onTestFinished(server.close)
  const settings = { host: '127.0.0.1', port: server.port, security: 'none', from: 'no-reply@sender.example' }
  const { error } = await deliverOnce(smtp, { settings, secrets: {}, trusted: true }, createMessage())
  expect(error).toMatchObject({ retryable: false })
  return error?.kind
}

describe('a reply that rejects the sender concerns the credential', () => {
  const sesReply = '554 Message rejected: Email address is not verified. The following identities failed the check in region EU-WEST-1:'
  it.each<[name: string, script: Script]>([
    ['Postfix: another owner', { RCPT: '553 5.7.1 <no-reply@sender.example>: Sender address rejected: not owned by user robot' }],
    ['Postfix: unknown', { RCPT: '550 5.1.0 <no-reply@sender.example>: Sender address rejected: User unknown' }],
    ['Postfix: a reply code only', { RCPT: '553 Sender address rejected' }],
    ['Exim', { RCPT: '550-Verification failed for <no-reply@sender.example>\r\n550-Unrouteable address\r\n550 Sender verify failed' }],
    ['Amazon SES', { message: `${sesReply} no-reply@sender.example` }],
    ['Amazon SES, in the sandbox', { message: `${sesReply} ada@example.com` }],
    [
      'SendGrid',
      { message: '550 The from address does not match a verified Sender Identity. Mail cannot be sent until this is resolved.' },
    ],
    ['Microsoft 365', { message: '550 5.7.60 SMTP; Client does not have permissions to send as this sender' }],
    ['Microsoft 365, with the addresses', { message: '554 5.2.252 SendAsDenied; a@c.example not allowed to send as b@c.example' }],
    ['Microsoft Exchange', { message: '550 5.7.1 Client does not have permissions to send as this sender' }],
    ['any address code at MAIL FROM', { MAIL: '554 5.1.0 Sender denied' }],
  ])('%s', async (_, script) => {
    expect(await kindAfter(script)).toBe('credential')
  })
})

describe('a reply that rejects the recipient concerns the target', () => {
  it.each<[name: string, reply: string]>([
    ['an unverified address', '550 5.1.1 <ada@example.com>: Recipient address rejected: unverified address'],
    ['an address that is not verified', '550 5.1.1 Recipient email address is not verified'],
    ['another address code', '550 5.1.0 Address rejected'],
    ['a failed verification by Exim', '550-Verification failed for <ada@example.com>\r\n550 Unrouteable address'],
    [
      "a quoted reply of the recipient's server",
      '550 5.1.1 <ada@example.com>: Recipient address rejected: undeliverable address: host mx.example.com said: 550 5.7.1 <>: Sender address rejected',
    ],
    ['a quoted reply on a separate line', '550-5.1.1 host said:\r\n550-5.7.1 <verify@mx.example>: Sender address rejected: x\r\n550 no'],
    ['a quoted reply without a code before it', '550-host said:\r\n550-5.7.1 <>: Sender address rejected: x\r\n550 no'],
  ])('%s', async (_, reply) => {
    expect(await kindAfter({ RCPT: reply })).toBe('target')
  })
})

describe('a reply that rejects the content concerns the content', () => {
  it.each([
    '554 Message rejected: the text contains the words "Email address is not verified"',
    '550 5.7.1 Message rejected: The from address does not look like a person',
  ])('%s', async (reply) => {
    expect(await kindAfter({ message: reply })).toBe('content')
  })
})
