import type { Flowpost } from '@flowpost/client'
import { createFlowpostMock } from '@flowpost/testing'
import { expect, it } from 'vitest'

// The job under test. It sends a reminder and returns the receivers that did not get it.
const remind = async (flowpost: Flowpost, projectId: string): Promise<string[]> => {
  const message = { project_id: projectId, subject: 'Reminder', message: 'Please approve the budget.' }
  const { deliveries } = await flowpost.notifications.send(message).settled({ timeout: 3_600_000 })
  return deliveries.filter(({ status }) => status !== 'sent').map(({ target, status }) => `${target}: ${status}`)
}

const setUp = () => {
  const mock = createFlowpostMock({ ambiguous: 'hold' })
  const { project_id } = mock.seed.flow({ target: 'ada@example.com' })
  mock.seed.flow({ project_id, source_type: 'slack', target: 'C024BE91L' })
  return { mock, run: () => remind(mock.client(), project_id) }
}

it('waits until a provider is available again', async () => {
  const { mock, run } = setUp()
  mock.faults.deliveriesTo('ada@example.com', { fail: 'outage', times: 5 })
  const startedAt = mock.clock.now()
  expect(await run()).toEqual([])
  expect(mock.outbox.map(({ target, attempt }) => [target, attempt])).toEqual([
    ['C024BE91L', 1],
    ['ada@example.com', 6],
  ])
  // More than a minute has passed on the mock's clock, but no real time.
  expect(mock.clock.now() - startedAt).toBeGreaterThan(60_000)
})

it('returns the receivers that did not get the reminder, or may not have', async () => {
  const { mock, run } = setUp()
  mock.faults.deliveriesTo('ada@example.com', 'bounce')
  mock.faults.deliveriesTo('C024BE91L', 'ambiguous')
  expect(await run()).toEqual(['ada@example.com: failed', 'C024BE91L: ambiguous'])
})
