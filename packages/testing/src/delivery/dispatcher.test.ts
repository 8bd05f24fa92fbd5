import { describe, expect, it } from 'vitest'
import { createFlowpostMock } from '../index.ts'

describe('with an initial wait of 0 ms', () => {
  const start = () => {
    const mock = createFlowpostMock({ time: 'manual', retryPolicy: { initialWaitMs: 0 } })
    const { project_id, target } = mock.seed.flow()
    const send = () => mock.client().notifications.send({ project_id, subject: 'a', message: 'b' })
    return { mock, target, send }
  }

  it('a delivery is retried after an attempt that takes time', async () => {
    const { mock, target, send } = start()
    mock.faults.deliveriesTo(target, { fail: 'outage', delayMs: 1_000, times: 1 })
    await send()
    await mock.clock.advance(1_001)
    expect(mock.outbox.map(({ attempt }) => attempt)).toEqual([2])
  })

  it('a delivery to an unreachable provider fails at the end of the retry budget', async () => {
    const { mock, target, send } = start()
    mock.faults.deliveriesTo(target, 'outage')
    const { id } = await send()
    await mock.clock.advance(25 * 3_600_000)
    const [delivery] = (await mock.client().notifications.get(id)).deliveries
    expect(delivery?.status).toBe('failed')
    // The waits double up to an hour.
    expect(delivery?.attempt_count).toBeLessThan(200)
  })
})
