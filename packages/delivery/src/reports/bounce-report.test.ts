import { readdir, readFile } from 'node:fs/promises'
import { isSuppressing, toReceipt } from '@flowpost/domain'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readBounceReport } from './bounce-report.ts'

const folder = new URL('../../test/bounces/', import.meta.url)
const fixture = (name: string) => readFile(new URL(`${name}.eml`, folder))
const read = async (name: string, recipient?: string) => readBounceReport({ body: await fixture(name), recipient })

const deliveryId = 'dlv_01jdv3k2m8f6wbn0q4z5t7x9ya'
const otherId = 'dlv_01jdv3k2m8f6wbn0q4z5t7x9yb'

const at = (seconds: string) => `2026-11-21T09:30:${seconds}.000Z`

/**
 * The expected receipt for each fixture: status, code, time, whether the recipient is suppressed, and the beginning of
 * the detail. Fixtures that are not listed must be ignored.
 */
const receipts: Readonly<
  Record<string, readonly [status: string, code: string | undefined, at: string, suppresses: boolean, detail?: string]>
> = {
  'postfix-unknown-user': ['bounced', '5.1.1', at('03'), true, '550 5.1.1 <no.such.user@receiver.example>: Recipient address'],
  'postfix-fixed-sender': ['bounced', '5.7.1', at('03'), false, '554 5.7.1 Message rejected as spam'],
  'postfix-mailbox-full': ['bounced', '5.2.2', at('03'), false, '552 5.2.2 <no.such.user@receiver.example>: Mailbox is full'],
  'postfix-yahoo-policy': ['bounced', '5.7.9', at('03'), false, '554 5.7.9 Message not accepted for policy reasons.'],
  // Exchange Online reports a routing error for an unknown recipient.
  'postfix-exchange-online': ['bounced', '5.1.1', at('03'), true, '550 5.4.1 Recipient address rejected: Access denied.'],
  // The next server gave no enhanced code, so Postfix reports 5.0.0, and the text decides.
  'postfix-without-code': ['bounced', '5.7.1', at('03'), false, '554 email rejected due to security policies'],
  // The mail server gave up, so the failure is final although its code is for a temporary failure.
  'postfix-expired': ['bounced', '4.4.1', at('03'), false, 'connect to mail.receiver.example[203.0.113.25]:25: Connection'],
  'postfix-delivered': ['delivered', '2.0.0', at('03'), false, 'delivery via dovecot service'],
  exim: ['bounced', '5.1.1', at('04'), true, '550-5.1.1 The email account'],
  'exim-legacy': ['bounced', '5.1.1', at('04'), true, 'host mail.receiver.example [203.0.113.25]: 550 5.1.1 User unknown'],
  // Exim reports 5.0.0 without a diagnostic code if it did not reach another server.
  'exim-mailbox-full': ['bounced', '5.2.2', at('04'), false, 'mailbox is full: retry timeout exceeded'],
  'exim-expired': ['bounced', '4.4.7', at('04'), false, 'retry timeout exceeded'],
  'exchange-2007': ['bounced', '5.1.1', at('05'), true, '550 5.1.1 RESOLVER.ADR.RecipNotFound; not found'],
  'exchange-2007-mailbox-full': ['bounced', '5.2.2', at('05'), false, '550 5.2.2 STOREDRV.Deliver: mailbox full.'],
  'exchange-online': ['bounced', '5.1.10', at('05'), true, '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient'],
  'exchange-online-relay': ['bounced', '5.1.351', at('05'), true, '550 5.1.351 Remote server returned unknown recipient'],
  'exchange-online-expired': ['bounced', '5.4.316', at('05'), false, '550 5.4.316 Message expired, connection refused'],
  gmail: ['bounced', '5.1.1', at('06'), true, '550-5.1.1 The email account that you tried to reach does not exist.'],
  'gmail-legacy': ['bounced', '5.2.2', at('06'), false, 'Storage quota exceeded'],
  sendmail: ['bounced', '5.1.1', at('07'), true, '550 5.1.1 <no.such.user@receiver.example>... User Unknown'],
  // The next server rejected the recipient, so Sendmail reports an unknown user. The real reason is in the quoted reply.
  'sendmail-policy': ['bounced', '5.7.1', at('07'), false, '550 5.7.1 IP address blacklisted by recipient'],
  'sendmail-yahoo-account': ['bounced', '5.1.1', at('07'), true, "554 delivery error: dd This user doesn't have a yahoo.com account"],
  'amazon-ses': ['bounced', '5.1.1', at('08'), true, '550 5.1.1 user unknown'],
  'amazon-ses-mailbox-full': ['bounced', '5.2.2', at('08'), false, "5.1.0 - Unknown address error 550-'5.2.2"],
  'amazon-ses-expired': ['bounced', '4.4.7', at('08'), false, '554 4.4.7 Message expired: unable to deliver in 840 minutes.'],
  qmail: ['bounced', '5.1.1', at('09'), true, 'Sorry, no SMTP connection got far enough; most progress was RCPT TO response'],
  yahoo: ['bounced', '5.1.1', at('10'), true, 'Remote host said: 550 5.1.1 <no.such.user@receiver.example>... User Unknown'],
  'yahoo-mailbox-full': ['bounced', '5.2.2', at('10'), false, '550: 5.2.2 <no.such.user@receiver.example>... Mailbox Full'],
  complaint: ['complained', 'abuse', '2026-11-21T11:58:30.000Z', true],
  'complaint-without-sender': ['complained', 'abuse', '2026-11-21T11:58:30.000Z', true],
}

const names = (await readdir(folder)).map((name) => name.replace('.eml', ''))

describe('a bounce', () => {
  it.each(names)('results in the expected receipt, or is ignored: %s', async (name) => {
    const [status, code, at, suppresses, detail] = receipts[name] ?? []
    const report = await read(name)
    if (status === undefined) return expect(report).toEqual({ status: 'ignored' })
    expect(report).toMatchObject({ status: 'receipt', deliveryId, receipt: { status, code, at: new Date(at ?? '') } })
    if (report.status !== 'receipt') throw new Error('The report is not a receipt.')
    expect(report.receipt.detail?.slice(0, detail?.length)).toBe(detail)
    expect(isSuppressing(toReceipt(report.receipt, new Date('2026-11-22T00:00:00.000Z')))).toBe(suppresses)
  })

  it('is read with any line endings', async () => {
    for (const name of Object.keys(receipts)) {
      const body = Buffer.from((await fixture(name)).toString('utf8').replaceAll('\n', '\r\n'))
      expect(await readBounceReport({ body })).toEqual(await read(name))
    }
  })

  it('belongs to the delivery that its envelope recipient names', async () => {
    expect(await read('postfix-unknown-user', `bounces+${otherId.toUpperCase()}@flow.example.com`)).toMatchObject({ deliveryId: otherId })
    expect(await read('postfix-unknown-user', 'bounces@flow.example.com')).toMatchObject({ deliveryId })
  })

  it('belongs to the delivery that any of its `Delivered-To` headers names', async () => {
    const text = (await fixture('postfix-unknown-user')).toString('utf8').replaceAll(deliveryId, 'x')
    const body = Buffer.from(`Delivered-To: mailbox@example.com\nDelivered-To: bounces+${otherId}@flow.example.com\n${text}`)
    expect(await readBounceReport({ body })).toMatchObject({ deliveryId: otherId })
  })

  it.each(['message/rfc822', 'text/rfc822-headers', 'message/global', 'message/global-headers'])(
    'belongs to the delivery in the `Message-ID` of the original message, in a part of the type %s',
    async (type) => {
      const part = `Content-Type: ${type}\n\nSubject: é\nMessage-ID: <${deliveryId}@flow.example.com>\n`
      const report = 'Content-Type: message/global-delivery-status\n\nReporting-MTA: dns; mx.example.com\n\nAction: failed\nStatus: 5.1.1\n'
      const body = Buffer.from(`Content-Type: multipart/report; boundary=b\n\n--b\n${report}\n--b\n${part}\n--b--\n`)
      expect(await readBounceReport({ body })).toMatchObject({ deliveryId, receipt: { code: '5.1.1' } })
    },
  )

  it.each(['exim-warning', 'gmail-delayed', 'postfix-delayed', 'sendmail-delayed', 'outlook-automatic-reply', 'reply', 'vacation'])(
    'is not a warning about a delay or an automatic reply: %s',
    async (name) => {
      expect(await read(name)).toEqual({ status: 'ignored' })
    },
  )

  it('is ignored if it contains no delivery id', async () => {
    const text = (await fixture('gmail')).toString('utf8')
    for (const body of [text.replaceAll('dlv_', 'msg_'), text.replaceAll(deliveryId, `${deliveryId}0`)])
      expect(await readBounceReport({ body: Buffer.from(body) })).toEqual({ status: 'ignored' })
  })
})

const megabyte = 1024 * 1024

/** Messages that are designed to take a lot of time or memory. */
const hostile: Readonly<Record<string, () => string>> = {
  'nested parts': () => Array.from({ length: 20_000 }, (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`).join(''),
  'nested messages': () => 'Content-Type: message/rfc822\n\n'.repeat(30_000),
  'many headers': () => `${'X: y\n'.repeat(200_000)}\n`,
  'one long header': () => `Subject: ${'a'.repeat(megabyte)}\n\n`,
  'a header with many encoded words': () => `Subject: ${'=?utf-8?q?=41?= '.repeat(60_000)}\n\n`,
  'many addresses': () => `To: ${'a@b.example, '.repeat(80_000)}\n\n`,
  'nested comments': () => `To: ${'('.repeat(200_000)}a@b.example\nDate: ${'('.repeat(50_000)}\n\n`,
  'many parts': () => `Content-Type: multipart/report; boundary=b\n\n${'--b\n\nx\n'.repeat(130_000)}`,
  'boundaries that are almost right': () =>
    `Content-Type: multipart/mixed; boundary=${'-'.repeat(60)}\n\n${`${'-'.repeat(63)}x\n`.repeat(16_000)}`,
  'a long status': () =>
    `Content-Type: multipart/report; boundary=b\n\n--b\nContent-Type: message/delivery-status\n\n${'Action: failed\n\n'.repeat(60_000)}`,
  'a folded field': () =>
    `Content-Type: multipart/report; boundary=b\n\n--b\nContent-Type: message/delivery-status\n\nAction: delayed\nStatus: 5.1.1${'\n 1'.repeat(300_000)}`,
  'HTML with many tags': () => `Content-Type: text/html\nX-Failed-Recipients: a\n\n${'<p><b>&lt;'.repeat(100_000)}`,
  'a text without an end': () => `X-Failed-Recipients: a\n\n${'1.'.repeat(megabyte / 2)}`,
  dashes: () => `X-Failed-Recipients: a\n\n${'-'.repeat(megabyte)}`,
  'lines of dashes': () => `X-Failed-Recipients: a\n\n${'---\n'.repeat(megabyte / 4)}`,
}

describe('a hostile message', () => {
  it.each(Object.keys(hostile))('of one megabyte is read quickly: %s', async (name) => {
    const body = Buffer.from(hostile[name]?.() ?? '').subarray(0, megabyte)
    const started = process.cpuUsage()
    expect(['ignored', 'rejected']).toContain((await readBounceReport({ body })).status)
    const { user, system } = process.cpuUsage(started)
    expect((user + system) / 1_000).toBeLessThan(1_000)
  })

  it('never causes an exception, however a bounce is changed', async () => {
    const bodies = await Promise.all(names.map(fixture))
    const changes = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.uint8Array({ maxLength: 8 }), fc.nat(40)), {
      maxLength: 6,
    })
    const arbitrary = fc.tuple(fc.constantFrom(...bodies), changes)
    await fc.assert(
      fc.asyncProperty(arbitrary, async ([body, edits]) => {
        let changed: Buffer = body
        for (const [position, inserted, removed] of edits) {
          const at = Math.floor(position * changed.length)
          changed = Buffer.concat([changed.subarray(0, at), inserted, changed.subarray(at + removed)])
        }
        expect(['ignored', 'receipt', 'rejected']).toContain((await readBounceReport({ body: changed })).status)
      }),
      { numRuns: 300 },
    )
  })

  it('never causes an exception, whatever it contains', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), async (body) => {
        expect(['ignored', 'rejected']).toContain((await readBounceReport({ body })).status)
      }),
    )
  })
})
