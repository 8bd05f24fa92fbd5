import { expect, it } from 'vitest'
import { requireQueueCapacity } from './queue-limit.ts'

const rejected = (detail: string) => expect.objectContaining({ code: 'queue_full', message: detail, headers: { 'Retry-After': '10' } })

it('rejects deliveries above the limit for all users together', () => {
  requireQueueCapacity(10, { ofAll: 8, ofUser: 0 }, 2)
  expect(() => requireQueueCapacity(10, { ofAll: 9, ofUser: 0 }, 2)).toThrow(
    rejected('Too many messages are waiting to be delivered. Try again later.'),
  )
})

it('rejects deliveries above half of the limit, rounded up, for one user', () => {
  requireQueueCapacity(9, { ofAll: 4, ofUser: 4 }, 1)
  expect(() => requireQueueCapacity(9, { ofAll: 4, ofUser: 4 }, 2)).toThrow(
    rejected('Too many of your messages are waiting to be delivered. Try again later.'),
  )
})

it('accepts any number without a limit', () => {
  requireQueueCapacity(Number.POSITIVE_INFINITY, { ofAll: 1_000, ofUser: 1_000 }, 1_000)
})
