import { describe, expect, it } from 'vitest'
import { json, problem, silence } from './support/hostile-server.ts'
import { project } from './support/resources.ts'
import { start } from './support/setup.ts'

describe('disposing a client', () => {
  it('aborts calls in flight and in backoff, and rejects new calls', async () => {
    await using at = await start()
    const calls: Promise<unknown>[] = []
    {
      using flowpost = at.client()
      at.server.next(silence)
      calls.push(flowpost.projects.get(project.id))
      await at.server.received(1)
      at.server.next(problem(503, 'unavailable'))
      calls.push(flowpost.projects.get(project.id))
      await at.clock.scheduled(250)
      calls.push(Promise.resolve(flowpost).then((late) => late.projects.get(project.id)))
    }
    for (const call of calls) await expect(call).rejects.toMatchObject({ name: 'AbortError' })
    expect(at.server.requests).toHaveLength(2)
    expect(at.clock.pending()).toBe(0)
  })

  it('waits until every call has ended when it is awaited', async () => {
    await using at = await start()
    at.server.next(silence)
    let ended = false
    {
      await using flowpost = at.client()
      flowpost.projects.get(project.id).catch(() => {
        ended = true
      })
      await at.server.received(1)
    }
    expect(ended).toBe(true)
  })

  it('does not affect other clients', async () => {
    await using at = await start()
    at.client()[Symbol.dispose]()
    at.server.next(json(200, project))
    expect(await at.flowpost.projects.get(project.id)).toEqual(project)
  })
})
