import { describe, expect, it } from 'vitest'
import { measureLatencies, sendToOneChannel } from './measure.ts'

describe('a message in another project', () => {
  it('arrives within a second while 50,000 deliveries are queued', async () => {
    const { latencies } = await measureLatencies({ bulk: 50_000, probes: 20 })
    console.info(`behind 50,000: ${latencies.sort((a, b) => a - b).join(', ')} ms`)
    expect(Math.max(...latencies)).toBeLessThan(1_000)
  })

  it('arrives within a second while the provider of 5,000 deliveries does not respond', async () => {
    const { latencies } = await measureLatencies({ bulk: 5_000, probes: 200, bulkHangs: true })
    console.info(`while a provider does not respond: ${latencies.sort((a, b) => a - b).join(', ')} ms`)
    expect(Math.max(...latencies)).toBeLessThan(1_000)
  })
})

describe('a channel limited to one message per second', () => {
  it('receives 60 messages from 5 workers at least 900 ms apart', async () => {
    const starts = await sendToOneChannel({ messages: 60, workers: 5 })
    const gaps = starts.slice(1).map((at, index) => at - (starts[index] ?? 0))
    console.info(
      `gaps: ${Math.min(...gaps)} to ${Math.max(...gaps)} ms, ${starts.length} messages in ${(starts.at(-1) ?? 0) - (starts[0] ?? 0)} ms`,
    )
    expect(starts).toHaveLength(60)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(900)
  })
})
