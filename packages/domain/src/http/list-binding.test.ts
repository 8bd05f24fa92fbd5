import { expect, test } from 'vitest'
import { listBinding } from './list-binding.ts'

test('a cursor is bound to its list and its filters, whatever their order, and not to those that are not set', () => {
  const binding = listBinding('flows', { b: '2', a: '1' })
  expect(listBinding('flows', { a: '1', b: '2', c: undefined })).toBe(binding)
  expect(listBinding('deliveries', { a: '1', b: '2' })).not.toBe(binding)
  expect(listBinding('flows', { a: '1' })).not.toBe(binding)
  expect(listBinding('flows', { a: '1', b: '3' })).not.toBe(binding)
  expect(listBinding('flows', { a: '2', b: '1' })).not.toBe(binding)
  expect(listBinding('flows', { a: '1,b', c: '2' })).not.toBe(listBinding('flows', { a: '1', 'b,c': '2' }))
})
