import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { FlowpostError } from '../src/index.ts'
import { collect, page } from './support/events.ts'
import { problem, reset, silence } from './support/hostile-server.ts'
import { failureOf, type Setup, start } from './support/setup.ts'

const urls = (at: Setup) => at.server.requests.map(({ url }) => url)

describe('follow', () => {
  it('yields the events of all pages in order, and waits for more', async () => {
    await using at = await start()
    at.server.next(page('c1', 1, 2), page('c2', 3), page('c3', 4))
    expect((await collect(at.flowpost.events.follow(), 4)).map(([id]) => id)).toEqual(['evt_1', 'evt_2', 'evt_3', 'evt_4'])
    expect(urls(at)).toEqual(['/v1/events?wait=25', '/v1/events?cursor=c1&wait=25', '/v1/events?cursor=c2&wait=25'])
    expect(at.clock.pending()).toBe(0)
  })

  it('sends the filters with every request', async () => {
    await using at = await start()
    at.server.next(page('c1', 1), page('c2', 2))
    await collect(at.flowpost.events.follow({ type: 'delivery.sent', project_id: 'prj_1', limit: 10, cursor: 'c0' }), 2)
    const filters = 'type=delivery.sent&project_id=prj_1&limit=10'
    expect(urls(at)).toEqual([`/v1/events?${filters}&cursor=c0&wait=25`, `/v1/events?${filters}&cursor=c1&wait=25`])
  })

  it('sends nothing before the loop starts', async () => {
    await using at = await start()
    expect(at.flowpost.events.follow({ cursor: 'c1' }).cursor).toBe('c1')
    await setImmediate()
    expect(urls(at)).toEqual([])
  })

  it('backs off between empty responses that arrive early', async () => {
    await using at = await start()
    at.server.next(page('c1'), page('c1'), page('c1'), page('c2', 1))
    const events = collect(at.flowpost.events.follow({ cursor: 'c1' }), 1)
    // Jitter applies to half of each delay, and the test's random number is 0.5.
    await at.clock.elapse(187.5)
    await at.clock.elapse(375)
    await at.clock.elapse(750)
    expect(await events).toEqual([['evt_1', 'c2']])
  })

  it('continues at once after an empty response whose cursor has advanced', async () => {
    await using at = await start()
    at.server.next(page('c1'), page('c2'), page('c3', 1))
    expect(await collect(at.flowpost.events.follow(), 1)).toEqual([['evt_1', 'c3']])
  })

  it('advances its cursor after an empty response', async () => {
    await using at = await start()
    const controller = new AbortController()
    const stream = at.flowpost.events.follow({ signal: controller.signal })
    at.server.next(page('c1'), silence)
    const events = collect(stream, 1)
    await at.server.received(2)
    expect(stream.cursor).toBe('c1')
    controller.abort()
    await expect(events).rejects.toThrow('aborted')
  })
})

describe('the cursor of follow', () => {
  it('continues after each event, even within a page', async () => {
    await using at = await start()
    const pages = [page('c1', 1, 2, 3), page('c2', 4, 5), page('c3', 6)]
    at.server.next(...pages)
    const all = await collect(at.flowpost.events.follow(), 6)
    expect(all.map(([, cursor]) => cursor)).toEqual(['~evt_1', '~evt_2', 'c1', 'c1~evt_4', 'c2', 'c3'])
    for (const [index, [, cursor]] of all.slice(0, 5).entries()) {
      at.server.next(...pages.slice(index < 2 ? 0 : index < 4 ? 1 : 2))
      const rest = await collect(at.flowpost.events.follow({ cursor }), 5 - index)
      expect(rest).toEqual(all.slice(index + 1))
    }
  })

  it('continues after the event with a smaller page size', async () => {
    await using at = await start()
    at.server.next(page('c1', 1, 2, 3), page('c2', 4))
    expect((await collect(at.flowpost.events.follow({ limit: 2, cursor: 'c0~evt_2' }), 2)).map(([id]) => id)).toEqual(['evt_3', 'evt_4'])
    // The server's maximum, so that the first page contains the event.
    expect(urls(at)).toEqual(['/v1/events?limit=1000&cursor=c0&wait=25', '/v1/events?limit=2&cursor=c1&wait=25'])
  })

  it('yields the whole page if its event has been deleted in the meantime', async () => {
    await using at = await start()
    at.server.next(page('c2', 4, 5))
    expect(await collect(at.flowpost.events.follow({ cursor: 'c1~evt_3' }), 2)).toEqual([
      ['evt_4', 'c1~evt_4'],
      ['evt_5', 'c2'],
    ])
  })

  it('starts each loop at the given cursor, so that an event whose processing failed is repeated', async () => {
    await using at = await start()
    at.server.next(page('c1', 1, 2), page('c1', 1, 2))
    const stream = at.flowpost.events.follow({ cursor: 'c0' })
    const first = await collect(stream, 1)
    expect(await collect(stream, 1)).toEqual(first)
    expect(urls(at)).toEqual(Array(2).fill('/v1/events?cursor=c0&wait=25'))
  })
})

describe('the end of follow', () => {
  it.each([
    [400, 'invalid_cursor'],
    [401, 'unauthenticated'],
    [403, 'scope_missing'],
    [404, 'not_found'],
    [422, 'validation_failed'],
    // Codes of the client, sent by a gateway.
    [403, 'timeout'],
    [404, 'connection_failed'],
  ])('is an error for %i %s', async (status, code) => {
    await using at = await start()
    at.server.next(page('c1', 1), problem(status, code))
    const error = await failureOf(collect(at.flowpost.events.follow(), 2))
    expect(error).toMatchObject({ operation: 'events.list', status, code })
    expect(at.server.requests).toHaveLength(2)
  })

  it('is an error for an invalid argument', async () => {
    await using at = await start()
    const invalid = { toString: () => { throw new Error('no text') } } // biome-ignore format: short
    const error = await failureOf(collect(at.flowpost.events.follow({ project_id: invalid as never }), 1))
    expect(error.code).toBe('invalid_argument')
  })

  it.each([
    ['while a request waits', [silence], 1],
    ['during the backoff', [reset, silence], 1],
    ['between empty responses', [page('c1'), page('c1')], 2],
  ])('is the abort reason when it is aborted %s', async (_, behaviors, requests) => {
    await using at = await start()
    at.server.next(...behaviors)
    const controller = new AbortController()
    const events = collect(at.flowpost.events.follow({ signal: controller.signal }), 1)
    await at.server.received(requests)
    await setImmediate()
    controller.abort('enough')
    await expect(events).rejects.toBe('enough')
    await at.server.idle()
    expect(at.clock.pending()).toBe(0)
  })

  it('is the abort reason between two events of a page', async () => {
    await using at = await start()
    at.server.next(page('c1', 1, 2))
    const controller = new AbortController()
    const stream = at.flowpost.events.follow({ signal: controller.signal })
    const seen: string[] = []
    const loop = async () => {
      for await (const { id } of stream) {
        seen.push(id)
        controller.abort('enough')
      }
    }
    await expect(loop()).rejects.toBe('enough')
    expect([seen, stream.cursor]).toEqual([['evt_1'], '~evt_1'])
  })

  it.each([
    ['the timeout of another call', new FlowpostError('not completed', { operation: 'notifications.send', code: 'timeout', attempts: [] })],
    ['null', null],
  ])('is the abort reason when it is %s', async (_, reason) => {
    await using at = await start()
    at.server.next(silence)
    const controller = new AbortController()
    // Throws when it is read repeatedly, because an endless loop without I/O would block the test runner.
    let isAborted = false
    let reads = 0
    const get = () => {
      if (++reads > 10) throw new Error('The stream did not end.')
      return isAborted
    }
    const signal = Object.defineProperty(controller.signal, 'aborted', { get })
    const events = collect(at.flowpost.events.follow({ signal }), 1)
    await at.server.received(1)
    isAborted = true
    controller.abort(reason)
    await expect(events).rejects.toBe(reason)
    await expect(collect(at.flowpost.events.follow({ signal }), 1)).rejects.toBe(reason)
    expect(at.server.requests).toHaveLength(1)
  })

  it('is an AbortError when the client is disposed', async () => {
    await using at = await start()
    at.server.next(silence)
    const events = collect(at.flowpost.events.follow(), 1)
    await at.server.received(1)
    at.flowpost[Symbol.dispose]()
    await expect(events).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('is immediate when the signal is already aborted', async () => {
    await using at = await start()
    await expect(collect(at.flowpost.events.follow({ signal: AbortSignal.abort('before') }), 1)).rejects.toBe('before')
    expect(at.server.requests).toEqual([])
  })
})
