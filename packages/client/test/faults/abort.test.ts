import { describe, expect, it } from 'vitest'
import { json, problem, silence, stalledBody } from '../support/hostile-server.ts'
import { project } from '../support/resources.ts'
import { start } from '../support/setup.ts'

describe('abort', () => {
  it('rejects immediately with the abort reason while the request is in flight, and is not retried', async () => {
    await using at = await start()
    at.server.next(silence)
    const controller = new AbortController()
    const call = at.flowpost.projects.get(project.id, { signal: controller.signal })
    await at.server.received(1)
    const reason = new Error('The user left.')
    controller.abort(reason)
    await expect(call).rejects.toBe(reason)
    expect(at.server.requests).toHaveLength(1)
    expect(at.clock.pending()).toBe(0)
  })

  it('rejects immediately with the abort reason during backoff', async () => {
    await using at = await start()
    at.server.next(problem(503, 'unavailable'))
    const controller = new AbortController()
    const call = at.flowpost.projects.get(project.id, { signal: controller.signal })
    await at.clock.scheduled(250)
    controller.abort('enough')
    await expect(call).rejects.toBe('enough')
    expect(at.clock.pending()).toBe(0)
  })

  it('rejects immediately with the abort reason while the body is read', async () => {
    await using at = await start()
    at.server.next(stalledBody())
    const controller = new AbortController()
    const call = at.flowpost.projects.get(project.id, { signal: controller.signal })
    await at.responded(1)
    controller.abort('enough')
    await expect(call).rejects.toBe('enough')
  })

  it('rejects immediately when the custom fetch ignores its signal', async () => {
    await using at = await start({ fetch: () => new Promise(() => {}) })
    const controller = new AbortController()
    const call = at.flowpost.projects.get(project.id, { signal: controller.signal })
    controller.abort('enough')
    await expect(call).rejects.toBe('enough')
  })

  it('rejects immediately when the custom fetch ignores its signal and the body stalls', async () => {
    let stall = () => {}
    const read = new Promise<void>((resolve) => {
      stall = resolve
    })
    const pull = () => {
      stall()
      return new Promise<void>(() => {})
    }
    await using at = await start({ fetch: async () => new Response(new ReadableStream({ pull }, { highWaterMark: 0 })) })
    const controller = new AbortController()
    const call = at.flowpost.projects.get(project.id, { signal: controller.signal })
    await read
    controller.abort('enough')
    await expect(call).rejects.toBe('enough')
  })

  it('ends a list before the next page is requested', async () => {
    await using at = await start()
    at.server.next(json(200, { data: [project], next_cursor: 'c1' }), json(200, { data: [project], next_cursor: null }))
    const controller = new AbortController()
    const names: string[] = []
    const read = async () => {
      for await (const { name } of at.flowpost.projects.list({}, { signal: controller.signal })) {
        names.push(name)
        controller.abort('enough')
      }
    }
    await expect(read()).rejects.toBe('enough')
    expect(names).toHaveLength(1)
    expect(at.server.requests).toHaveLength(1)
  })

  it('removes its listener from a signal that outlives the call', async () => {
    await using at = await start()
    at.server.next(problem(503, 'unavailable'), json(200, project))
    const { signal } = new AbortController()
    let listeners = 0
    for (const [name, change] of [
      ['addEventListener', 1],
      ['removeEventListener', -1],
    ] as const) {
      const original = signal[name]
      signal[name] = (...args: Parameters<typeof original>) => {
        listeners += change
        original.apply(signal, args)
      }
    }
    const call = at.flowpost.projects.get(project.id, { signal })
    expect(listeners).toBe(1)
    await at.clock.elapse(250)
    await call
    expect(listeners).toBe(0)
  })

  it('sends nothing when the signal is already aborted', async () => {
    let requests = 0
    await using at = await start({ hooks: { onRequest: () => requests++ } })
    await expect(at.flowpost.projects.get(project.id, { signal: AbortSignal.abort('before') })).rejects.toBe('before')
    expect(at.server.requests).toHaveLength(0)
    expect(requests).toBe(0)
  })
})
