import { expect, it } from 'vitest'
import { definedFields } from './defined-fields.ts'

it('returns the fields that are not undefined', () => {
  expect(Object.entries(definedFields({ a: undefined, b: null, c: 0 }))).toEqual([
    ['b', null],
    ['c', 0],
  ])
})

it.each([null, undefined])('returns an empty object for %s', (fields) => {
  expect(definedFields(fields)).toEqual({})
})
