import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  canHaveReceipt,
  isSuppressing,
  maxReceiptCodeLength,
  maxReceiptDetailLength,
  mergeReceipts,
  type Receipt,
  receiptStatuses,
  toReceipt,
} from './receipt.ts'

const receipt = (status: Receipt['status'], at = '2026-11-21T09:30:00.000Z', code: string | null = null): Receipt => ({
  status,
  at,
  code,
  detail: null,
})

const arbitraryReceipt = fc.record({
  status: fc.constantFrom(...receiptStatuses),
  at: fc.constantFrom('2026-11-21T09:30:00.000Z', '2026-11-21T09:31:00.000Z', '2026-11-21T09:32:00.000Z'),
  code: fc.constantFrom(null, '5.1.1', '550', '5.2.2'),
  detail: fc.constantFrom(null, 'unknown user', 'mailbox disabled'),
})

const mergeAll = (receipts: readonly Receipt[]) => receipts.reduce<Receipt | null>(mergeReceipts, null)

describe('mergeReceipts', () => {
  it('keeps the more serious status, whichever receipt arrives first', () => {
    const ordered = receiptStatuses.map((status) => receipt(status))
    for (const [index, serious] of ordered.entries())
      for (const other of ordered.slice(0, index)) {
        expect(mergeReceipts(other, serious)).toBe(serious)
        expect(mergeReceipts(serious, other)).toBe(serious)
      }
  })

  it('keeps the earliest of several receipts with the same status', () => {
    const [early, late] = [receipt('bounced', '2026-11-21T09:30:00.000Z'), receipt('bounced', '2026-11-21T09:31:00.000Z')]
    expect(mergeReceipts(early, late)).toBe(early)
    expect(mergeReceipts(late, early)).toBe(early)
  })

  it('keeps a bounce that suppresses the recipient, even if it is later than one that does not', () => {
    const full = receipt('bounced', '2026-11-21T09:30:00.000Z', '5.2.2')
    const unknown = receipt('bounced', '2026-11-21T09:31:00.000Z', '5.1.1')
    expect(mergeReceipts(full, unknown)).toBe(unknown)
    expect(mergeReceipts(unknown, full)).toBe(unknown)
  })

  it('returns the current receipt when the same one arrives again', () => {
    const current = receipt('delivered')
    expect(mergeReceipts(current, { ...current })).toBe(current)
  })

  it('does not depend on the order or the number of arrivals', () => {
    const shuffled = fc
      .array(arbitraryReceipt, { minLength: 1, maxLength: 6 })
      .chain((receipts) =>
        fc.tuple(fc.constant(receipts), fc.shuffledSubarray([...receipts, ...receipts], { minLength: 2 * receipts.length })),
      )
    fc.assert(
      fc.property(shuffled, ([receipts, again]) => {
        expect(mergeAll(again)).toEqual(mergeAll(receipts))
      }),
    )
  })
})

it('allows a receipt only after the first attempt', () => {
  expect([0, 1, 5].map((attemptCount) => canHaveReceipt({ attemptCount }))).toEqual([false, true, true])
})

describe('isSuppressing', () => {
  it('is true for complaints, and for bounces that the address may have caused', () => {
    expect(isSuppressing(receipt('complained'))).toBe(true)
    for (const code of [null, '5.1.1', '5.1.10', '5.0.0', '5.2.1', '5.4.4', '521', '550', '551', '553', '556', 'suppress-bounce'])
      expect(isSuppressing(receipt('bounced', undefined, code))).toBe(true)
  })

  it('is false for delivered messages, and for bounces that the address did not cause', () => {
    expect(isSuppressing(receipt('delivered', undefined, '5.1.1'))).toBe(false)
    for (const code of [
      '421',
      '500',
      '552',
      '554',
      '571',
      '4.4.7',
      '5.1.7',
      '5.1.8',
      '5.1.90',
      '5.2.2',
      '5.2.3',
      '5.2.121',
      '5.2.122',
      '5.2.252',
      '5.3.4',
      '5.4.1',
      '5.4.14',
      '5.5.0',
      '5.6.0',
      '5.7.1',
      '5.7.26',
    ])
      expect(isSuppressing(receipt('bounced', undefined, code))).toBe(false)
  })
})

describe('toReceipt', () => {
  const now = new Date('2026-11-21T10:00:00.000Z')

  it('uses the current time for an unknown, invalid or future time', () => {
    for (const at of [undefined, new Date(Number.NaN), new Date(now.getTime() + 1), new Date(-1)])
      expect(toReceipt({ status: 'delivered', at }, now)).toEqual({ ...receipt('delivered', now.toISOString()) })
    expect(toReceipt({ status: 'delivered', at: new Date('2026-11-21T09:30:00.000Z') }, now)).toEqual(receipt('delivered'))
  })

  it('reduces texts to one line of limited length', () => {
    const reported = { status: 'bounced', code: ' 5.1.1\r\n', detail: 'no\u0000\r\n\t such \ud800 user ' } as const
    expect(toReceipt(reported, now)).toMatchObject({ code: '5.1.1', detail: 'no such \ufffd user' })
    const long = toReceipt({ status: 'bounced', code: '😀'.repeat(5_000), detail: '😀'.repeat(50_000) }, now)
    expect([[...(long.code ?? '')].length, [...(long.detail ?? '')].length]).toEqual([maxReceiptCodeLength, maxReceiptDetailLength])
    expect(`${long.code}${long.detail}`.isWellFormed()).toBe(true)
    expect(toReceipt({ status: 'bounced', code: ' ', detail: '' }, now)).toMatchObject({ code: null, detail: null })
  })
})
