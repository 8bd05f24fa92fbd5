import { describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../src/calls/call-deadline.ts'
import { json, problem, silence, stalledBody, trickle } from '../support/hostile-server.ts'
import { project } from '../support/resources.ts'
import { failureOf, start } from '../support/setup.ts'

describe('a body that stalls after the headers', () => {
  it('fails at the deadline', async () => {
    await using at = await start({ maxRetries: 0, attemptTimeout: 600_000 })
    at.server.next(stalledBody(200, { 'x-request-id': 'req_1' }))
    const call = at.flowpost.projects.get(project.id)
    await at.responded(1)
    at.clock.advance(59_999)
    at.clock.advance(1)
    const error = await failureOf(call)
    expect(error).toMatchObject({ code: 'timeout', status: 200, requestId: 'req_1' })
    expect(at.clock.pending()).toBe(0)
  })

  it('also fails at the deadline for an error response', async () => {
    await using at = await start({ maxRetries: 0, timeout: 300 })
    at.server.next(stalledBody(500))
    const call = at.flowpost.projects.get(project.id)
    await at.responded(1)
    at.clock.advance(300)
    expect(await failureOf(call)).toMatchObject({ code: 'timeout', status: 500 })
  })
})

describe('a body that never ends', () => {
  it('fails at the deadline and closes its connection', async () => {
    await using at = await start({ maxRetries: 0, attemptTimeout: 600_000 })
    let closed = () => {}
    const gone = new Promise<void>((resolve) => {
      closed = resolve
    })
    at.server.next((response, request) => {
      response.on('close', closed)
      trickle(response, request)
    })
    const call = at.flowpost.projects.get(project.id)
    await at.responded(1)
    at.clock.advance(60_000)
    expect(await failureOf(call)).toMatchObject({ code: 'timeout', status: 200 })
    await gone
  })
})

describe('timeout', () => {
  it('covers attempts, delays and bodies', async () => {
    await using at = await start({ timeout: 300, attemptTimeout: 100 })
    at.server.next(silence, silence)
    const startedAt = at.clock.now()
    const call = at.flowpost.projects.get(project.id, { maxRetries: 50 })
    const failure = failureOf(call)
    await at.server.received(1)
    at.clock.advance(100)
    // The delay of 250 ms would exceed the deadline, so the call fails immediately with the last error.
    expect(await failure).toMatchObject({ code: 'connection_failed' })
    expect(at.clock.now() - startedAt).toBeLessThanOrEqual(300)
  })

  it('covers all attempts together', async () => {
    await using at = await start({ timeout: 300, random: () => 0.1 })
    at.server.next(problem(503, 'unavailable'), silence)
    const call = at.flowpost.projects.get(project.id)
    const failure = failureOf(call)
    await at.clock.elapse(50)
    await at.server.received(2)
    at.clock.advance(249)
    at.clock.advance(1)
    const error = await failure
    expect(error.code).toBe('timeout')
    expect(error.attempts).toMatchObject([
      { status: 503, delayMs: 0 },
      { status: undefined, delayMs: 50 },
    ])
  })
})

describe('an attempt that times out', () => {
  it('is retried with a fresh signal', async () => {
    const signals: (AbortSignal | null | undefined)[] = []
    const watch = (url: string, init: RequestInit) => {
      signals.push(init.signal)
      return globalThis.fetch(url, init)
    }
    await using at = await start({ fetch: watch })
    at.server.next(silence, json(200, project))
    const call = at.flowpost.projects.get(project.id)
    await at.server.received(1)
    at.clock.advance(30_000)
    await at.clock.elapse(250)
    expect(await call).toEqual(project)
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, false])
  })
})

describe('the system time', () => {
  it.each([
    ['forward', 3_600_000],
    ['back', -3_600_000],
  ])('does not affect the deadline when it is set %s during a call', async (_, changeMs) => {
    const answers = [new Response('', { status: 503 }), new Response('', { status: 503 }), Response.json(project)]
    // Runs short timers, which belong to the backoff, immediately. Deadlines use the client's real clock.
    const schedule = (callback: () => void, delayMs: number) => {
      if (delayMs < 10_000) queueMicrotask(callback)
      return () => {}
    }
    await using at = await start({
      clock: { now: systemClock.now, schedule },
      fetch: async () => {
        vi.setSystemTime(Date.now() + changeMs)
        return answers.shift() as Response
      },
    })
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      expect(await at.flowpost.projects.get(project.id)).toEqual(project)
    } finally {
      vi.useRealTimers()
    }
  })
})
