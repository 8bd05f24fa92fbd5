import type { Flowpost, NotificationListParams, NotificationWithAttempts } from '@flowpost/client'
import { createFlowpostMock } from '@flowpost/testing'
import { describe, expect, it } from 'vitest'
import { followLog } from '../src/notifications/follow-log.ts'

const end = new Error('The test has no more steps.')

interface Follow {
  readonly flowpost: Flowpost
  readonly query: NotificationListParams
  readonly last: readonly NotificationWithAttempts[]
  /** Run between the reads, one after another. */
  readonly steps: (() => unknown)[]
}

/** Returns the ids of the notifications that `followLog` yields until there are no more steps. */
const follow = async ({ flowpost, query, last, steps }: Follow): Promise<string[]> => {
  const found: string[] = []
  const wait = async () => {
    const step = steps.shift()
    if (step === undefined) throw end
    await step()
  }
  const read = async () => {
    const options = { signal: new AbortController().signal, startedAt: Date.parse('2026-11-23T09:00:00Z'), wait }
    for await (const { id } of followLog(flowpost, query, last, options)) found.push(id)
  }
  await expect(read()).rejects.toBe(end)
  return found
}

describe('followLog', () => {
  it('yields an older notification that fails after newer ones', async () => {
    const mock = createFlowpostMock()
    const flowpost = mock.client()
    const flow = mock.seed.flow({ target: 'ops@example.com', override_target: true })
    mock.faults.deliveriesTo('gone@example.com', { fail: 'bounce' })
    const send = async (fields: object = {}) => {
      await mock.clock.advance(30_000)
      const body = { project_id: flow.project_id, subject: 's', message: 'm', target: 'gone@example.com' }
      return flowpost.notifications.send({ ...body, ...fields })
    }
    const before = await send()
    const listed = await send()
    await mock.clock.advance(1_000)
    const slow = await send({ send_at: new Date(mock.clock.now() + 600_000).toISOString() })
    const query = { status: 'failed', limit: 1 } as const
    const last = (await flowpost.notifications.list(query)).data
    expect(last.map(({ id }) => id)).toEqual([listed.id])
    const newer: string[] = []
    const sendNewer = async () => {
      newer.push((await send()).id)
      await mock.clock.advance(1_000)
    }
    const steps = [sendNewer, sendNewer, () => mock.clock.advance(600_000), sendNewer]
    const found = await follow({ flowpost, query, last, steps })
    expect(found).toEqual([newer[0], newer[1], slow.id, newer[2]])
    expect(found).not.toContain(before.id)
  })

  it('watches at most 10,000 matches, and reads all of them only with every tenth read', async () => {
    const timeOf = (index: number) => new Date(Date.parse('2026-11-23T09:00:00Z') + index * 1_000).toISOString()
    const matches = Array.from({ length: 10_001 }, (_, index) => ({
      id: `ntf_${String(index).padStart(5, '0')}`,
      created_at: timeOf(index),
    }))
    const starts: string[] = []
    const list = async function* ({ created_after = '' }: NotificationListParams) {
      starts.push(created_after)
      yield* matches.filter(({ created_at }) => created_at >= created_after).reverse()
    }
    const found = await follow({
      flowpost: { notifications: { list } } as unknown as Flowpost,
      query: { status: 'sent' },
      last: matches.slice(0, 1) as NotificationWithAttempts[],
      steps: Array.from({ length: 20 }, () => () => {}),
    })
    expect(found).toEqual(matches.slice(1).map(({ id }) => id))
    const recent = Array.from({ length: 9 }, () => timeOf(9_990))
    expect(starts).toEqual([timeOf(-10), ...recent, timeOf(1), ...recent, timeOf(1)])
  })
})
