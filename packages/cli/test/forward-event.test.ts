import { expect, it } from 'vitest'
import { forwardEvent } from '../src/events/forward-event.ts'

it('waits until the date in Retry-After', async () => {
  const now = Date.parse('2026-11-23T08:00:00Z')
  const interrupt = new AbortController()
  const waits: (number | undefined)[] = []
  const result = forwardEvent({ id: 'evt_1' } as never, {
    url: 'http://localhost/hook',
    secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    retryMs: 60_000,
    io: {
      fetch: async () => new Response(null, { status: 503, headers: { 'retry-after': 'Mon, 23 Nov 2026 08:00:30 GMT' } }),
      now: () => now,
      signal: interrupt.signal,
    },
    random: () => 0,
    onResponse: (_, waitMs) => {
      waits.push(waitMs)
      interrupt.abort()
    },
  })
  await expect(result).rejects.toThrow('aborted')
  expect(waits).toEqual([30_000])
})

it('waits no shorter than without a Retry-After', async () => {
  const statuses = [503, 200]
  const waits: (number | undefined)[] = []
  const result = await forwardEvent({ id: 'evt_1' } as never, {
    url: 'http://localhost/hook',
    secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    retryMs: 60_000,
    io: {
      fetch: async () => new Response(null, { status: statuses.shift() ?? 500, headers: { 'retry-after': '0' } }),
      now: () => 0,
      signal: new AbortController().signal,
    },
    random: () => 0.1,
    onResponse: (_, waitMs) => waits.push(waitMs),
  })
  expect([result, waits]).toEqual(['accepted', [50, undefined]])
})

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
