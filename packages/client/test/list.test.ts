import { describe, expect, it } from 'vitest'
import { json, problem } from './support/hostile-server.ts'
import { flow, project } from './support/resources.ts'
import { failureOf, start } from './support/setup.ts'

const page = (names: string[], next_cursor: string | null) => json(200, { data: names.map((name) => ({ ...flow, name })), next_cursor })

describe('a list', () => {
  it('iterates over the items of every page', async () => {
    await using at = await start()
    at.server.next(page(['a', 'b'], 'c1'), page([], 'c2'), page(['c'], null))
    const names: string[] = []
    for await (const { name } of at.flowpost.flows.list(project.id, { limit: 2 })) names.push(name)
    expect(names).toEqual(['a', 'b', 'c'])
    const path = `/v1/settings/projects/${project.id}/flows`
    expect(at.server.requests.map(({ url }) => url)).toEqual([`${path}?limit=2`, `${path}?limit=2&cursor=c1`, `${path}?limit=2&cursor=c2`])
  })

  it('requests nothing before it is iterated or awaited', async () => {
    await using at = await start()
    void at.flowpost.projects.list()
    await new Promise(setImmediate)
    expect(at.server.requests).toHaveLength(0)
  })

  it('requests no page that is not needed', async () => {
    await using at = await start()
    at.server.next(page(['a', 'b'], 'c1'))
    for await (const { name } of at.flowpost.flows.list(project.id)) if (name === 'b') break
    expect(at.server.requests).toHaveLength(1)
  })

  it('resolves to its first page, which it requests only once', async () => {
    await using at = await start()
    at.server.next(page(['a'], 'c1'), page(['b'], null))
    const list = at.flowpost.flows.list(project.id)
    const first = await list
    expect(first).toMatchObject({ data: [{ name: 'a' }], next_cursor: 'c1' })
    const names: string[] = []
    for await (const { name } of list) names.push(name)
    expect(names).toEqual(['a', 'b'])
    expect(at.server.requests).toHaveLength(2)
  })

  it('iterates page by page, starting at a cursor', async () => {
    await using at = await start()
    at.server.next(page(['b'], 'c2'), page(['c'], null))
    const sizes: number[] = []
    for await (const { data } of at.flowpost.flows.list(project.id, { cursor: 'c1' }).byPage()) sizes.push(data.length)
    expect(sizes).toEqual([1, 1])
    expect(at.server.requests.map(({ url }) => url.split('?')[1])).toEqual(['cursor=c1', 'cursor=c2'])
  })

  it('returns the response of its first page', async () => {
    await using at = await start()
    at.server.next(json(200, { data: [], next_cursor: null }, { 'x-request-id': 'req_1' }))
    const { data, response, requestId } = await at.flowpost.projects.list().withResponse()
    expect(data).toEqual({ data: [], next_cursor: null })
    expect(response.status).toBe(200)
    expect(requestId).toBe('req_1')
  })

  it('fails at the failing page, after the items of the earlier pages', async () => {
    await using at = await start({ maxRetries: 0 })
    at.server.next(page(['a'], 'c1'), problem(400, 'invalid_cursor'))
    const names: string[] = []
    const error = await failureOf(
      (async () => {
        for await (const { name } of at.flowpost.flows.list(project.id)) names.push(name)
      })(),
    )
    expect(error).toMatchObject({ code: 'invalid_cursor', operation: 'flows.list' })
    expect(names).toEqual(['a'])
  })

  it('has a separate deadline for each page', async () => {
    await using at = await start({ timeout: 1_000 })
    at.server.next(page(['a'], 'c1'), page(['b'], 'c2'), page(['c'], null))
    const names: string[] = []
    for await (const { name } of at.flowpost.flows.list(project.id)) {
      names.push(name)
      at.clock.advance(900)
    }
    expect(names).toEqual(['a', 'b', 'c'])
  })

  it('fails when the server returns the same cursor twice', async () => {
    await using at = await start()
    at.server.next(page(['a'], 'c1'), page(['b'], 'c1'))
    const error = await failureOf(
      (async () => {
        for await (const _ of at.flowpost.flows.list(project.id));
      })(),
    )
    expect(error).toMatchObject({ code: 'unexpected_response', operation: 'flows.list' })
    expect(at.server.requests).toHaveLength(2)
  })

  it('fails when the server returns an earlier cursor again', async () => {
    await using at = await start()
    at.server.next(page(['a'], 'c1'), page(['b'], 'c2'), page(['c'], 'c1'))
    const names: string[] = []
    const error = await failureOf(
      (async () => {
        for await (const { name } of at.flowpost.flows.list(project.id)) names.push(name)
      })(),
    )
    expect(error).toMatchObject({ code: 'unexpected_response', operation: 'flows.list' })
    expect(error.message).toContain('repeats a cursor')
    expect(names).toEqual(['a', 'b'])
  })

  it('fails when the server returns the initial cursor', async () => {
    await using at = await start()
    at.server.next(page(['a'], 'c1'))
    expect(await failureOf(at.flowpost.flows.list(project.id, { cursor: 'c1' }))).toMatchObject({ code: 'unexpected_response' })
  })

  it('can be iterated twice', async () => {
    await using at = await start()
    at.server.next(page(['a'], 'c1'), page(['b'], null), page(['b'], null))
    const list = at.flowpost.flows.list(project.id)
    for (const _ of [1, 2]) {
      const names: string[] = []
      for await (const { name } of list) names.push(name)
      expect(names).toEqual(['a', 'b'])
    }
  })

  it.each([7, true, {}, ['c1']])('fails when the cursor is %o', async (next_cursor) => {
    await using at = await start()
    at.server.next(json(200, { data: [flow], next_cursor }))
    expect(await failureOf(at.flowpost.flows.list(project.id))).toMatchObject({ code: 'unexpected_response', status: 200 })
    expect(at.server.requests).toHaveLength(1)
  })

  it('ends when `next_cursor` is missing', async () => {
    await using at = await start()
    at.server.next(json(200, { data: [flow] }))
    for await (const _ of at.flowpost.flows.list(project.id));
    expect(at.server.requests).toHaveLength(1)
  })
})
