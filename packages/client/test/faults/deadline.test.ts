import { describe, expect, it } from 'vitest'
import { json, problem, silence, stalledBody, trickle } from '../hostile-server.ts'
import { project } from '../resources.ts'
import { failureOf, start } from '../setup.ts'

describe('a body that stalls after the headers', () => {
  it('ends with the deadline', async () => {
    await using at = await start({ maxRetries: 0, attemptTimeout: 600_000 })
    at.server.next(stalledBody(200, { 'x-request-id': 'req_1' }))
    const call = at.flowpost.projects.get(project.id)
    await at.answered(1)
    at.clock.advance(59_999)
    at.clock.advance(1)
    const error = await failureOf(call)
    expect(error).toMatchObject({ code: 'timeout', status: 200, requestId: 'req_1' })
    expect(at.clock.pending()).toBe(0)
  })

  it('ends with the deadline for the body of an error too', async () => {
    await using at = await start({ maxRetries: 0, timeout: 300 })
    at.server.next(stalledBody(500))
    const call = at.flowpost.projects.get(project.id)
    await at.answered(1)
    at.clock.advance(300)
    expect(await failureOf(call)).toMatchObject({ code: 'timeout', status: 500 })
  })
})

describe('a body that never ends', () => {
  it('ends with the deadline, and its connection with it', async () => {
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
    await at.answered(1)
    at.clock.advance(60_000)
    expect(await failureOf(call)).toMatchObject({ code: 'timeout', status: 200 })
    await gone
  })
})

describe('timeout', () => {
  it('is one deadline over attempts, pauses and bodies', async () => {
    await using at = await start({ timeout: 300, attemptTimeout: 100 })
    at.server.next(silence, silence)
    const startedAt = at.clock.now()
    const call = at.flowpost.projects.get(project.id, { maxRetries: 50 })
    const failure = failureOf(call)
    await at.server.received(1)
    at.clock.advance(100)
    // The pause of 250 ms would outlast the deadline, so the call fails at once with what went wrong.
    expect(await failure).toMatchObject({ code: 'connection_failed' })
    expect(at.clock.now() - startedAt).toBeLessThanOrEqual(300)
  })

  it('is total when attempts come one after the other', async () => {
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

describe('an attempt that takes too long', () => {
  it('is followed by one with a fresh signal', async () => {
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
