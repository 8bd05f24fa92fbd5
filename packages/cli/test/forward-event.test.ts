import { expect, it } from 'vitest'
import { forwardEvent } from '../src/events/forward-event.ts'

it('waits as long as Retry-After says, even if that is longer than a timer can be', async () => {
  const thirtyDaysMs = 30 * 86_400_000
  let requests = 0
  const interrupt = new AbortController()
  const result = forwardEvent({ id: 'evt_1' } as never, {
    url: 'http://localhost/hook',
    secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    retryMs: 2 * thirtyDaysMs,
    io: {
      fetch: async () => {
        requests += 1
        return new Response(null, { status: 503, headers: { 'retry-after': String(thirtyDaysMs / 1_000) } })
      },
      now: Date.now,
      signal: interrupt.signal,
    },
    random: () => 0,
    onResponse: (_, waitMs) => {
      expect(waitMs).toBe(thirtyDaysMs)
      setTimeout(() => interrupt.abort(), 100)
    },
  })
  await expect(result).rejects.toThrow('aborted')
  expect(requests).toBe(1)
})
