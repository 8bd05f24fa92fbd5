import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { deliveryId, mailgunEvents, sentMs, signingKey, signMailgunReport } from '../../test/mailgun-reports.ts'
import { systemClock } from '../clock.ts'
import { readMailgunReport } from './mailgun-report.ts'

const read = (body: unknown, nowMs = sentMs, key: string | undefined = signingKey) =>
  readMailgunReport({ body: Buffer.from(JSON.stringify(body)), clock: { ...systemClock, now: () => nowMs } }, key)

const hourMs = 3_600_000
const receiptOf = (name: keyof typeof mailgunEvents) => read(signMailgunReport(mailgunEvents[name]))

describe('a Mailgun report', () => {
  it('becomes the receipt of its delivery', () => {
    const at = new Date(1_795_253_403_581.23)
    const nonce = { value: 'a8ce0edb2dd8301dee6c2405235584e45aa91d1e9f979f3de0', expiresAt: new Date(sentMs + 12 * hourMs) }
    const expected = { status: 'receipt', deliveryId, nonce }
    const detail = '5.1.1 The email account that you tried to reach does not exist.'
    expect(receiptOf('delivered')).toEqual({ ...expected, receipt: { status: 'delivered', at, code: '250', detail: 'OK' } })
    expect(receiptOf('bounced')).toEqual({ ...expected, receipt: { status: 'bounced', at, code: '5.1.1', detail } })
    expect(receiptOf('complained')).toMatchObject({ ...expected, receipt: { status: 'complained', at, code: 'abuse' } })
    const suppressed = { status: 'bounced', code: 'suppress-bounce', detail: 'Not delivering to previously bounced address' }
    expect(receiptOf('suppressed')).toMatchObject({ ...expected, receipt: suppressed })
    expect(receiptOf('expired')).toMatchObject({ ...expected, receipt: { status: 'bounced', code: '4.4.7', detail: 'Too old' } })
    expect(receiptOf('withoutCode')).toMatchObject({ ...expected, receipt: { status: 'bounced', code: '5.7.1' } })
    expect(receiptOf('unknownAtExchange')).toMatchObject({ ...expected, receipt: { status: 'bounced', code: '5.1.1' } })
    // Outlook.com's code is unspecific, so the text determines the code.
    expect(receiptOf('unavailable')).toMatchObject({ ...expected, receipt: { status: 'bounced', code: '5.2.1' } })
  })

  it.each(['accepted', 'deferred', 'noMailServer', 'greylisted', 'rejected', 'unsubscribed', 'opened', 'clicked', 'foreign'] as const)(
    'is ignored if it contains no final outcome of a delivery: %s',
    (name) => {
      expect(receiptOf(name)).toEqual({ status: 'ignored' })
    },
  )

  it('is unauthenticated with a wrong signature, token, timestamp or key, or without a key', () => {
    const { signature, ...rest } = signMailgunReport(mailgunEvents.bounced)
    const forged = [
      { ...signature, signature: signature.signature.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) },
      { ...signature, signature: '' },
      { ...signature, signature: signature.signature.slice(0, 62) },
      { ...signature, token: `${signature.token}0` },
      { ...signature, timestamp: String(Number(signature.timestamp) + 1) },
    ]
    for (const other of forged) expect(read({ ...rest, signature: other })).toEqual({ status: 'unauthenticated' })
    expect(read(signMailgunReport(mailgunEvents.bounced, { key: 'other' }))).toEqual({ status: 'unauthenticated' })
    expect(readMailgunReport({ body: Buffer.from(JSON.stringify({ ...rest, signature })), clock: systemClock }, undefined)).toEqual({
      status: 'unauthenticated',
    })
  })

  it('is accepted with the signature of a parent account', () => {
    const { signature, ...rest } = signMailgunReport(mailgunEvents.bounced)
    const report = { ...rest, signature: { ...signature, signature: '00'.repeat(32), 'parent-signature': signature.signature } }
    expect(read(report)).toMatchObject({ status: 'receipt', deliveryId })
  })

  it('is rejected when its timestamp is more than twelve hours in the past', () => {
    const report = signMailgunReport(mailgunEvents.bounced)
    expect(read(report, sentMs + 12 * hourMs)).toMatchObject({ status: 'receipt' })
    expect(read(report, sentMs + 12 * hourMs + 1)).toEqual({ status: 'rejected', detail: 'The signature is older than 12 hours.' })
  })

  it('is accepted when the clock is up to twelve hours slow, and never rejected because the clock is slow', () => {
    const report = signMailgunReport(mailgunEvents.bounced)
    const nonce = { expiresAt: new Date(sentMs + 12 * hourMs) }
    expect(read(report, sentMs - 12 * hourMs)).toMatchObject({ status: 'receipt', nonce })
    expect(read(report, sentMs - 12 * hourMs - 1)).toEqual({ status: 'unauthenticated' })
  })

  it('is rejected without an event', () => {
    for (const eventData of [undefined, null, [], {}, { event: 1 }])
      expect(read(signMailgunReport(eventData))).toMatchObject({ status: 'rejected', detail: expect.stringContaining('event-data') })
  })

  it('never causes an exception, whatever it contains', () => {
    for (const body of ['', '{', 'null', '[]', '{"signature":[]}', '\ud800'])
      expect(readMailgunReport({ body: Buffer.from(body), clock: systemClock }, signingKey)).toEqual({ status: 'unauthenticated' })
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(['rejected', 'ignored']).toContain(read(signMailgunReport(value)).status)
        const changed = { ...mailgunEvents.bounced, 'delivery-status': value, timestamp: value, 'user-variables': value, reason: value }
        expect(['ignored', 'receipt']).toContain(read(signMailgunReport(changed)).status)
      }),
    )
  })
})
