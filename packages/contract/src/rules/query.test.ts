import { expect, it } from 'vitest'
import { parseQuery } from './query.ts'

it('returns a repeated parameter as a list', () => {
  expect(parseQuery(new URLSearchParams('a=1&b=2&a=3&a=4'))).toEqual({ a: ['1', '3', '4'], b: '2' })
})

it('parses parameters whose names are inherited properties of objects', () => {
  expect(Object.entries(parseQuery(new URLSearchParams('__proto__=1&constructor=2')))).toEqual([
    ['__proto__', '1'],
    ['constructor', '2'],
  ])
})
