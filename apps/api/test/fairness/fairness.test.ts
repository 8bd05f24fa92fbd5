import { describe, expect, it } from 'vitest'
import { latencyBehindBulk, oneKeyManyRequests } from './fairness-run.ts'

describe('another project’s message', () => {
  it('does not wait behind a bulk', async () => {
    const { receivedMeanwhile } = await latencyBehindBulk({
      bulk: 2_000,
      probes: 3,
      reply: () => ({ code: 250, text: 'ok', afterMs: 100 }),
    })
    expect(receivedMeanwhile).toBeLessThan(2_000)
  })
})

describe('one idempotency key', () => {
  it('makes one notification and one delivery, however many requests come at once', async () => {
    const { answers, notifications, received } = await oneKeyManyRequests(40)
    const accepted = answers.filter(({ status }) => status === 202)
    expect(new Set(accepted.map(({ json }) => json.id)).size).toBe(1)
    expect(accepted.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1)
    for (const { status, json } of answers) if (status !== 202) expect(json.code).toBe('idempotency_in_progress')
    expect({ notifications, received }).toEqual({ notifications: 1, received: 1 })
  })
})
