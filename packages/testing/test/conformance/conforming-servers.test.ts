import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { runConformance, scenarios } from '../../src/conformance/index.ts'
import { brokenTarget } from './broken-target.ts'
import { createConformingMock } from './mock-target.ts'

/** Runs the scenarios whose names contain `text`. Returns the results. */
const run = (target: ReturnType<typeof brokenTarget>, text: string) => {
  const selected = scenarios.filter(({ name }) => name.includes(text))
  expect(selected.length).toBeGreaterThan(0)
  return runConformance(target, { scenarios: selected })
}

const outcomesOf = (results: Awaited<ReturnType<typeof run>>) =>
  results.map((result) => ('error' in result ? result.error : result.outcome))

/** A conforming mock behind a proxy that adds an `ETag` to lists. */
const withListTag = (tag: string) =>
  brokenTarget(createConformingMock(), async ({ method, url, forward }) => {
    const response = await forward()
    if (method === 'GET' && url.pathname.endsWith('/projects')) response.headers.set('etag', tag)
    return response
  })

it('passes behind a proxy that adds weak ETags', async () => {
  const outcomes = outcomesOf(await run(withListTag('W/"1"'), 'pages through the projects'))
  expect(outcomes).toEqual(outcomes.map(() => 'passed'))
})

it('fails with an undeclared strong ETag', async () => {
  const [error] = outcomesOf(await run(withListTag('"1"'), 'pages through the projects'))
  expect(error).toMatchObject({ message: expect.stringContaining('must have no ETag') })
})

it('passes on a server that takes 3 s for each change', async () => {
  const mock = createConformingMock()
  const target = brokenTarget(mock, async ({ method, forward }) => {
    if (method === 'POST') await mock.clock.advance(3_000)
    return forward()
  })
  expect(outcomesOf(await run(target, 'cancels a delivery whose notification expires before an attempt succeeds'))).toEqual(['passed'])
})

it('passes when a message is completed long after its events can be read', async () => {
  const mock = createConformingMock()
  const target = brokenTarget(mock, async ({ url, forward }) => {
    const response = await forward()
    if (!/notifications\/.+/.test(url.pathname)) return response
    await setTimeout(50)
    await mock.clock.advance(25_000)
    return response
  })
  expect(outcomesOf(await run(target, 'waits until there is an event or the requested time has passed'))).toEqual(['passed'])
})
