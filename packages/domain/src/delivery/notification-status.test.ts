import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type DeliveryStatus, deliveryStatuses, isFinal } from './delivery-status.ts'
import {
  aggregateStatus,
  completedStatuses,
  isCompleted,
  type NotificationStatus,
  notificationStatuses,
  notificationStatusesWith,
} from './notification-status.ts'

type StatusCounts = Partial<Record<DeliveryStatus, number>>

const expand = (counts: StatusCounts): DeliveryStatus[] =>
  deliveryStatuses.flatMap((status) => Array<DeliveryStatus>(counts[status] ?? 0).fill(status))

describe('aggregates to', () => {
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
    expect(aggregateStatus(expand(counts))).toBe(status)
  })
})

const anyStatuses = fc.array(fc.constantFrom(...deliveryStatuses), { maxLength: 8 })

test('aggregates any mix of statuses to a known status, in any order', () => {
  fc.assert(
    fc.property(anyStatuses, (statuses) => {
      expect(notificationStatuses).toContain(aggregateStatus(statuses))
      expect(aggregateStatus(statuses.toReversed())).toBe(aggregateStatus(statuses))
    }),
  )
})

test('an aggregate status is final if and only if every delivery is final, and sent only if every delivery is sent', () => {
  fc.assert(
    fc.property(anyStatuses, (statuses) => {
      const status = aggregateStatus(statuses)
      expect(isCompleted(status)).toBe(completedStatuses.includes(status))
      expect(isCompleted(status)).toBe(statuses.length > 0 && statuses.every(isFinal))
      expect(status === 'sent').toBe(statuses.length > 0 && statuses.every((one) => one === 'sent'))
      if (status === 'failed' || status === 'canceled') expect(statuses).not.toContain('sent')
    }),
  )
})

test('notificationStatusesWith returns every status that a notification with a delivery in a given status can have', () => {
  fc.assert(
    fc.property(anyStatuses, fc.constantFrom(...deliveryStatuses), (statuses, status) => {
      expect(notificationStatusesWith([status])).toContain(aggregateStatus([...statuses, status]))
    }),
  )
  expect(notificationStatusesWith(['failed', 'ambiguous'])).toEqual(['sending', 'partially_sent', 'failed'])
  expect(notificationStatusesWith(['queued', 'retrying'])).toEqual(['queued', 'sending'])
})
