import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  canTransition,
  type DeliveryStatus,
  deliveryStatuses,
  isFinal,
  type NotificationStatus,
  notificationStatuses,
  rollUp,
  type StatusCounts,
  statusesBefore,
} from './delivery-status.ts'

test('sent, failed, ambiguous and canceled are final', () => {
  expect(deliveryStatuses.filter(isFinal)).toEqual(['sent', 'failed', 'ambiguous', 'canceled'])
})

describe('transitions', () => {
  test.each<[DeliveryStatus, DeliveryStatus[]]>([
    ['queued', ['sending', 'failed', 'canceled']],
    ['sending', ['sent', 'retrying', 'failed', 'ambiguous']],
    ['retrying', ['sending', 'failed', 'canceled']],
    ['sent', []],
    ['failed', ['queued']],
    ['ambiguous', ['queued']],
    ['canceled', []],
  ])('from %s lead only to %j', (from, to) => {
    expect(deliveryStatuses.filter((status) => canTransition(from, status)).sort()).toEqual([...to].sort())
  })

  test('into a status come from those that allow it', () => {
    expect(statusesBefore('canceled')).toEqual(['queued', 'retrying'])
    expect(statusesBefore('sent')).toEqual(['sending'])
  })

  test('reach every status from queued', () => {
    const reached = new Set<DeliveryStatus>(['queued'])
    for (const from of reached) for (const to of deliveryStatuses) if (canTransition(from, to)) reached.add(to)
    expect([...reached].sort()).toEqual([...deliveryStatuses].sort())
  })
})

describe('rolls up to', () => {
  test.each<[NotificationStatus, StatusCounts]>([
    ['queued', { queued: 3 }],
    ['queued', {}],
    ['sending', { queued: 2, sending: 1 }],
    ['sending', { retrying: 1 }],
    ['sending', { queued: 1, retrying: 1 }],
    ['sending', { queued: 1, sent: 1 }],
    ['sending', { queued: 1, canceled: 1 }],
    ['sending', { sent: 5, failed: 2, sending: 1 }],
    ['sent', { sent: 1 }],
    ['sent', { sent: 1000, failed: 0 }],
    ['canceled', { canceled: 2 }],
    ['partially_sent', { sent: 1, failed: 1 }],
    ['partially_sent', { sent: 1, canceled: 1 }],
    ['partially_sent', { sent: 1, ambiguous: 1 }],
    ['failed', { failed: 1 }],
    ['failed', { ambiguous: 1 }],
    ['failed', { failed: 1, canceled: 5 }],
    ['failed', { ambiguous: 1, canceled: 1 }],
  ])('%s from %j', (status, counts) => {
    expect(rollUp(counts)).toBe(status)
  })
})

const anyStatuses = fc.array(fc.constantFrom(...deliveryStatuses), { maxLength: 8 })

test('rolls up any mix to a known status, the same from counts and from statuses in any order', () => {
  fc.assert(
    fc.property(anyStatuses, (statuses) => {
      const counts: Partial<Record<DeliveryStatus, number>> = {}
      for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
      expect(notificationStatuses).toContain(rollUp(statuses))
      expect(rollUp(counts)).toBe(rollUp(statuses))
      expect(rollUp(statuses.toReversed())).toBe(rollUp(statuses))
    }),
  )
})

test('is settled exactly when every delivery is, and says sent only when all are', () => {
  fc.assert(
    fc.property(anyStatuses, (statuses) => {
      const status = rollUp(statuses)
      const settled = status !== 'queued' && status !== 'sending'
      expect(settled).toBe(statuses.length > 0 && statuses.every(isFinal))
      expect(status === 'sent').toBe(statuses.length > 0 && statuses.every((one) => one === 'sent'))
      if (status === 'failed' || status === 'canceled') expect(statuses).not.toContain('sent')
    }),
  )
})
