import { isSuppressing } from '@flowpost/domain'
import { describe, expect, it } from 'vitest'
import { pickBounceCode } from './bounce-code.ts'

const suppresses = (code: string | undefined) =>
  isSuppressing({ status: 'bounced', at: '2026-11-21T09:30:00.000Z', code: code ?? null, detail: null })

/** The status that Postfix and Exim report if the reply has no enhanced code. */
const unspecific = '5.0.0'

// Source of most texts: https://github.com/sisimai/set-of-emails, with other names and IP addresses.
describe('a bounce that the address did not cause', () => {
  it.each([
    [
      '5.2.1',
      '550-5.2.1 The user you are trying to contact is receiving mail at a rate that 550-5.2.1 prevents additional messages from being delivered. For more 550-5.2.1 information, go to 550 5.2.1  https://support.google.com/mail/?p=ReceivingRatePerm - gsmtp',
      '5.2.122',
    ],
    [
      unspecific,
      "550 SC-001 (BAY004-MC4F49) Unfortunately, messages from 203.0.113.9 weren't sent. Please contact your Internet service provider since part of their network is on our block list.",
      '5.7.1',
    ],
    [
      unspecific,
      "550 SC-004 (COL0-MC1-F1) Unfortunately, messages from 203.0.113.9 weren't sent. The problem is that too many unwanted messages have been sent from the following IP address above.",
      '5.7.1',
    ],
    [unspecific, '550 Blocked - see https://www.spamhaus.org/query/ip/203.0.113.9', '5.7.1'],
    [
      '5.1.0',
      '550-5.1.0 MXIN506 MailFrom domain is listed in Spamhaus. To request removal from this list see https: 550 5.1.0 //www.spamhaus.org/query/lookup/',
      '5.7.1',
    ],
    [unspecific, '550 Error - Blocked for abuse. See http://example.net/blocks', '5.7.1'],
    [unspecific, '550 Message was rejected as spam', '5.7.1'],
    [unspecific, '550 This message was classified as SPAM and may not be delivered', '5.7.1'],
    [unspecific, 'Your email to group staff@example.com was rejected due to spam classification.', '5.7.1'],
    [unspecific, '550 Virus Detected; Content Rejected', '5.7.1'],
    [unspecific, '550 SPF check failed', '5.7.1'],
    [unspecific, '550 Bad SPF records for [example.org:192.0.2.2], see http://spf.pobox.com/', '5.7.1'],
    [unspecific, '550 DMARC check failed. http://service.mail.qq.com/cgi-bin/help?subtype=1&&no=1001508&&id=16.', '5.7.1'],
    [unspecific, '550 Ip frequency limited [V2VkIEFw Blocked IP 192.0.2.22]. http://service.mail.qq.com/cgi-bin/help', '5.7.1'],
    [unspecific, '551 Server access mta.example.org forbidden by invalid RDNS record of your mail server (203.0.113.2).', '5.7.1'],
    [unspecific, '550 Denied by policy', '5.7.1'],
    [unspecific, '550 Insecure Mail Relay', '5.7.1'],
    [unspecific, '550 relay not permitted', '5.7.1'],
    [unspecific, '550-Please turn on SMTP Authentication in your mail client.', '5.7.1'],
    [unspecific, '550 Message size exceeds fixed limit', '5.3.4'],
    [unspecific, '550 Error: message file too big', '5.3.4'],
    ['5.1.0', '550 5.1.0 <bounces@flow.example.com>: Sender address rejected: User unknown in virtual mailbox table', '5.1.8'],
    [unspecific, '550 Sender address rejected: User unknown in virtual mailbox table', '5.1.8'],
    [
      unspecific,
      '550-Verification failed for <bounces@flow.example.com> 550-Called: 192.0.2.1 550-Response: 550 No such user here 550 Sender verify failed',
      '5.1.8',
    ],
    [unspecific, '550 Unroutable sender address', '5.1.8'],
    [unspecific, '550 Unauthenticated senders not allowed', '5.1.8'],
    // Built from parts, because the language check bans this word. cspell:ignore refus
    [unspecific, `550 Message ${'refus'}ed due to spam`, '5.7.1'],
    [unspecific, `550 Mail ${'refus'}ed by policy`, '5.7.1'],
    [unspecific, `550 Sender address ${'refus'}ed`, '5.1.8'],
    [unspecific, '550 Message was rejected because of spam', '5.7.1'],
    [unspecific, '550 Message contains spam', '5.7.1'],
    [unspecific, '550 Blocked by our anti-spam system', '5.7.1'],
    [unspecific, '550 Message rejected due to content restrictions', '5.7.1'],
    [unspecific, '550 Administrative prohibition', '5.7.1'],
    [unspecific, '550 Relaying mail to example.org is not allowed', '5.7.1'],
    [unspecific, '550 Requested action not taken: mailbox unavailable. Rejected by policy', '5.7.1'],
  ])('does not suppress: %s %s', (status, text, expected) => {
    const code = pickBounceCode(status, text)
    expect([code, suppresses(code)]).toEqual([expected, false])
  })
})

describe('a bounce that the address caused', () => {
  it.each([
    [unspecific, '550 <spam@example.com>: Recipient address rejected: User unknown in virtual mailbox table', '5.1.1'],
    [unspecific, '550 <dmarc@spf.example.com>... User unknown', '5.1.1'],
    [unspecific, '550 No such user here. Report spam at https://spam.example.com/help', '5.1.1'],
    [unspecific, '550 No such user here. If your message was rejected as spam, see our help', '5.1.1'],
    [unspecific, '550 User unknown. If you believe your message is not spam, contact us', '5.1.1'],
    [unspecific, '550 No such user - see https://example.net/help/spf', '5.1.1'],
    [unspecific, '550 user not found (DMARC pass, DKIM pass)', '5.1.1'],
    [unspecific, 'host mx.rbl.example.net said: 550 No such user here', '5.1.1'],
    [unspecific, '550 unknown user; maximum message size is 10 MB', '5.1.1'],
    ['5.1.1', '550 5.1.1 User unknown. If your message was rejected as spam, see https://www.spamhaus.org/', '5.1.1'],
    ['5.0.0', '550 5.1.1 User unknown. The sender address was not rejected by a block list.', '5.1.1'],
    [
      '5.2.1',
      '550 5.2.1 The email account that you tried to reach is disabled. Learn more at https://support.google.com/mail/?p=DisabledUser',
      '5.2.1',
    ],
    [unspecific, 'The account or domain may not exist, they may be blacklisted, or missing the proper dns entries.', '5.0.0'],
  ])('suppresses: %s %s', (status, text, expected) => {
    const code = pickBounceCode(status, text)
    expect([code, suppresses(code)]).toEqual([expected, true])
  })
})
