import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { collect, page } from '../support/events.ts'
import { type Behavior, json, problem, reset, silence, text } from '../support/hostile-server.ts'
import { failureOf, type Setup, start } from '../support/setup.ts'

/** Lets the time pass in steps of a second until the work is done. */
const runFor = async <T>(at: Setup, work: Promise<T>): Promise<{ result: T; seconds: number }> => {
  let isDone = false
  const end = work.finally(() => {
    isDone = true
  })
  let seconds = 0
  for (; !isDone && seconds < 100_000; seconds++) {
    // A request to the local server takes several turns of the event loop.
    for (let turn = 0; turn < 20 && !isDone; turn++) await setImmediate()
    at.clock.advance(1_000)
  }
  return { result: await end, seconds }
}

describe('an outage', () => {
  const outages: [string, Behavior][] = [
    ['refused connections', reset],
    ['503', problem(503, 'unavailable')],
    ['500', problem(500, 'internal')],
    ['429', problem(429, 'rate_limited')],
    ['408', text(408, 'timeout')],
    ['pages from a proxy', text(200, '<html>maintenance</html>')],
    ['JSON from a proxy', json(200, { message: 'maintenance' })],
    ['empty pages without a cursor', json(200, { data: [] })],
    ['502 from a proxy', text(502, '<html>bad gateway</html>')],
    ['redirects', text(302, '', { location: 'https://login.example.com/' })],
    ['silence', silence],
  ]

  it.each(outages)('of many minutes with %s does not end the loop or lose an event', async (_, failure) => {
    await using at = await start()
    const count = failure === silence ? 20 : 60
    at.server.next(page('c1', 1), ...Array<Behavior>(count).fill(failure), page('c2', 2))
    const { result, seconds } = await runFor(at, collect(at.flowpost.events.follow(), 2))
    expect(result).toEqual([
      ['evt_1', 'c1'],
      ['evt_2', 'c2'],
    ])
    expect(at.server.requests).toHaveLength(count + 2)
    // At least two seconds between requests on average, so the client does not overload a server that is recovering.
    expect(seconds).toBeGreaterThan(count * 2)
  })

  it('does not end the loop when the function that returns the token fails', async () => {
    await using at = await start()
    let calls = 0
    const apiKey = () => {
      calls += 1
      if (calls <= 20) throw new Error('The token server is down.')
      return 'fp_x'
    }
    at.server.next(page('c1', 1))
    const { result } = await runFor(at, collect(at.client({ apiKey }).events.follow(), 1))
    expect(result).toEqual([['evt_1', 'c1']])
  })

  it('is survived even with `maxRetries: 0` and a short timeout', async () => {
    await using at = await start({ maxRetries: 0, timeout: 1_000 })
    at.server.next(...Array<Behavior>(10).fill(problem(503, 'unavailable')), page('c1', 1))
    expect((await runFor(at, collect(at.flowpost.events.follow(), 1))).result).toEqual([['evt_1', 'c1']])
  })

  it('waits as long as `Retry-After` says', async () => {
    await using at = await start()
    at.server.next(problem(503, 'unavailable', { 'retry-after': '3600' }), page('c1', 1))
    const { seconds } = await runFor(at, collect(at.flowpost.events.follow(), 1))
    expect(seconds).toBeGreaterThanOrEqual(3600)
  })

  it('waits when `Retry-After` is longer than a timer can be', async () => {
    await using at = await start()
    at.server.next(problem(503, 'unavailable', { 'retry-after': '2200000' }), page('c1', 1))
    const events = collect(at.flowpost.events.follow(), 1)
    await at.clock.scheduled(2 ** 31 - 1)
    await at.server.received(1)
    for (let turn = 0; turn < 50; turn++) await setImmediate()
    expect(at.server.requests).toHaveLength(1)
    at.clock.advance(2 ** 31 - 1)
    expect((await runFor(at, events)).result).toEqual([['evt_1', 'c1']])
  })

  it('keeps only the attempts of the last requests', async () => {
    await using at = await start()
    at.server.next(...Array<Behavior>(50).fill(problem(503, 'unavailable')), problem(401, 'unauthenticated'))
    const { result } = await runFor(at, failureOf(collect(at.flowpost.events.follow(), 1)))
    expect(result.attempts.length).toBeLessThanOrEqual(9)
  })
})

describe('a feed without events', () => {
  it('is followed for longer than a timer can be', async () => {
    await using at = await start()
    at.server.next(page('c1'), silence, page('c2', 1))
    const events = collect(at.flowpost.events.follow({ cursor: 'c1' }), 1)
    await at.clock.elapse(187.5)
    await at.server.received(2)
    at.clock.advance(2 ** 31 - 1)
    expect((await runFor(at, events)).result).toEqual([['evt_1', 'c2']])
  })
})
