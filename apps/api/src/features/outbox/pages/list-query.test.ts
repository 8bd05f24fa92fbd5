import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ListQuery, listPath, newerQuery, olderQuery, readListQuery } from './list-query.ts'

const newest: ListQuery = { before: undefined, newer: [], sourceType: 'smtp' }

test('goes back through the newer pages in the reverse order of the visits', () => {
  const second = olderQuery(newest, 'c1')
  const third = olderQuery(second, 'c2')
  expect(third).toEqual({ before: 'c2', newer: ['c1'], sourceType: 'smtp' })
  expect(newerQuery(third)).toEqual(second)
  expect(newerQuery(newerQuery(third))).toEqual(newest)
})

test('limits the number of cursors in a URL', () => {
  let query = newest
  for (let page = 1; page <= 500; page += 1) query = olderQuery(query, `cursor${page}`)
  expect(query.newer).toHaveLength(20)
  expect(query.newer.at(-1)).toBe('cursor499')
})

test('parses every path that listPath returns', () => {
  const cursor = fc.stringMatching(/^[\w.~=+-]{1,200}$/)
  const query = fc.oneof(
    fc.record({
      before: cursor,
      newer: fc.array(cursor, { maxLength: 20 }),
      sourceType: fc.option(fc.stringMatching(/^[\w.-]{1,64}$/), { nil: undefined }),
    }),
    fc.record({ before: fc.constant(undefined), newer: fc.constant([]), sourceType: fc.constantFrom(undefined, 'slack') }),
  )
  fc.assert(
    fc.property(query, (given) => {
      expect(readListQuery(listPath('/outbox', given))).toEqual(given)
    }),
  )
})

test('ignores malformed values', () => {
  expect(readListQuery('/outbox/?before=%00&source_type=a%20b&newer=c1')).toEqual({ before: undefined, newer: [], sourceType: undefined })
  expect(readListQuery(`/outbox/?before=${'x'.repeat(201)}`).before).toBeUndefined()
  expect(readListQuery('/outbox/?before=c2&newer=%3Cb%3E&newer=c1').newer).toEqual(['c1'])
  expect(readListQuery('/outbox')).toEqual({ before: undefined, newer: [], sourceType: undefined })
  fc.assert(fc.property(fc.oneof(fc.string(), fc.webQueryParameters()), (target) => void readListQuery(`/outbox?${target}`)))
})
