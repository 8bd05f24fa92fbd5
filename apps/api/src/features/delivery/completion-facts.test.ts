import { expect, it } from 'vitest'
import { factsOf } from './completion-facts.ts'

const delivery = (id: string, status: string, changes: object = {}) => ({
  id,
  notification_id: 'n1',
  project_id: 'p1',
  status,
  has_events: true,
  ...changes,
})

it('lists facts about deliveries before facts about the notifications that they complete', () => {
  const changed = [delivery('d1', 'sent'), delivery('d2', 'failed'), delivery('d3', 'canceled', { notification_id: 'n2' })]
  expect(factsOf(changed, new Set(['n1', 'n3']))).toEqual([
    { type: 'delivery.sent', projectId: 'p1', notificationId: 'n1', deliveryId: 'd1' },
    { type: 'delivery.failed', projectId: 'p1', notificationId: 'n1', deliveryId: 'd2' },
    { type: 'delivery.canceled', projectId: 'p1', notificationId: 'n2', deliveryId: 'd3' },
    { type: 'notification.settled', projectId: 'p1', notificationId: 'n1' },
  ])
})

it('omits deliveries that will be retried, and projects without event endpoints', () => {
  const changed = [delivery('d1', 'retrying'), delivery('d2', 'sent', { has_events: false })]
  expect(factsOf(changed, new Set(['n1']))).toEqual([])
})
