import { describe, expect, test } from 'vitest'
import { canTransition, type DeliveryStatus, deliveryStatuses, isFinal, openStatuses, statusesBefore } from './delivery-status.ts'

test('sent, failed, ambiguous and canceled are final', () => {
  expect(deliveryStatuses.filter(isFinal)).toEqual(['sent', 'failed', 'ambiguous', 'canceled'])
  expect(openStatuses).toEqual(['queued', 'sending', 'retrying'])
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
  ])('from %s lead to %j only', (from, to) => {
    expect(deliveryStatuses.filter((status) => canTransition(from, status)).sort()).toEqual([...to].sort())
  })

  test('to a status are possible only from the statuses that statusesBefore returns', () => {
    expect(statusesBefore('canceled')).toEqual(['queued', 'retrying'])
    expect(statusesBefore('sent')).toEqual(['sending'])
  })

  test('reach every status from queued', () => {
    const reached = new Set<DeliveryStatus>(['queued'])
    for (const from of reached) for (const to of deliveryStatuses) if (canTransition(from, to)) reached.add(to)
    expect([...reached].sort()).toEqual([...deliveryStatuses].sort())
  })
})
