import { describe, expect, it } from 'vitest'
import { runConformance, scenarios } from '../../src/conformance/index.ts'
import { brokenTarget } from './broken-target.ts'
import { createConformingMock } from './mock-target.ts'

const listing = scenarios.filter(
  ({ name }) => /pages through|keys without their secrets|limits a page|another user's projects$/.test(name) && / 200: /.test(name),
)

/** Returns a well-formed id that differs for each number. */
const freshId = (id: string, count: number): string => id.slice(0, -6) + String(count).padStart(6, '0')

interface ListBody {
  readonly data: readonly { readonly id: string }[]
}

const endless: readonly [what: string, reason: RegExp, next: (body: ListBody, count: number) => ListBody][] = [
  ['repeats its items', /^the list returns \S+ twice$/, (body) => body],
  ['has only empty pages', /^the list does not end: .* after 10 empty pages$/, () => ({ data: [] })],
  [
    'always has another item',
    /^the list does not end: .* after \d+ pages$/,
    ({ data: [first] }, count) => ({ data: first ? [{ ...first, id: freshId(first.id, count) }] : [] }),
  ],
]

describe('a list whose next_cursor is never null', () => {
  it.each(endless)('fails every scenario that reads all its pages if it %s', async (_, reason, next) => {
    const mock = createConformingMock()
    const created = await mock.client({ user: 'bob' }).projects.create({ name: 'a project of the other user' })
    const first = new Map<string, ListBody>()
    let count = 0
    const target = brokenTarget(mock, async ({ method, url, forward }) => {
      const isNext = url.searchParams.has('cursor')
      if (isNext) url.searchParams.delete('cursor')
      const response = isNext ? undefined : await forward()
      const key = `${url}`
      if (method !== 'GET' || (response && (response.status !== 200 || !url.searchParams.has('limit')))) return response ?? forward()
      const body = (await response?.json()) as ListBody | undefined
      if (body) first.set(key, body)
      const page = body ?? next(first.get(key) ?? { data: [] }, count)
      count += 1
      const headers = { 'content-type': 'application/json', 'x-request-id': 'a' }
      return new Response(JSON.stringify({ ...page, next_cursor: `cursor-${count}` }), { headers })
    })
    expect(listing.length).toBeGreaterThanOrEqual(6)
    const results = await runConformance(target, { scenarios: listing })
    for (const { scenario, ...result } of results)
      expect([scenario.name, 'error' in result && (result.error as Error).message]).toEqual([scenario.name, expect.stringMatching(reason)])
    expect(await mock.client({ user: 'bob' }).projects.get(created.id)).toEqual(created)
  })
})
