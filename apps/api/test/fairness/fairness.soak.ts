import { describe, expect, it } from 'vitest'
import { latencyBehindBulk, oneKeyManyRequests, startsAtOneChannel } from './fairness-run.ts'

describe('another project’s message', () => {
  it('is delayed by no more than a second behind 50,000', async () => {
    const { latencies } = await latencyBehindBulk({ bulk: 50_000, probes: 20 })
    console.info(`behind 50,000: ${latencies.sort((a, b) => a - b).join(', ')} ms`)
    expect(Math.max(...latencies)).toBeLessThan(1_000)
  })

  it('is delayed by no more than a second while another project’s messages hang', async () => {
    const { latencies } = await latencyBehindBulk({ bulk: 5_000, probes: 200, bulkHangs: true })
    console.info(`beside a provider that hangs: ${latencies.sort((a, b) => a - b).join(', ')} ms`)
    expect(Math.max(...latencies)).toBeLessThan(1_000)
  })
})

describe('a channel paced at one a second', () => {
  it('gets 60 messages from 5 workers, no two within 900 ms', async () => {
    const starts = await startsAtOneChannel({ messages: 60, workers: 5 })
    const gaps = starts.slice(1).map((at, index) => at - (starts[index] ?? 0))
    console.info(
      `gaps: ${Math.min(...gaps)} to ${Math.max(...gaps)} ms, ${starts.length} messages in ${(starts.at(-1) ?? 0) - (starts[0] ?? 0)} ms`,
    )
    expect(starts).toHaveLength(60)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(900)
  })
})

describe('one idempotency key', () => {
  it('makes one notification and one delivery of 200 simultaneous requests', async () => {
    const { answers, notifications, received } = await oneKeyManyRequests(200)
    const accepted = new Set(answers.filter(({ status }) => status === 202).map(({ json }) => json.id))
    expect({ accepted: accepted.size, notifications, received }).toEqual({ accepted: 1, notifications: 1, received: 1 })
    for (const { status } of answers) expect([202, 409]).toContain(status)
  })
})
