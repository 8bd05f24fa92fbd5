import { expect, it } from 'vitest'
import { textFaults } from './text-faults.ts'

it('finds what no text may hold wherever it is, names of fields included', () => {
  const faults = textFaults({ a: 'x\u0000', list: ['fine', { deep: '\ud800' }], 'b\u0000': 1, emoji: '😀', n: 1, none: null })
  expect(faults.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
    '/a invalid_text',
    '/list/1/deep invalid_text',
    '/b\u0000 invalid_text',
  ])
  expect(textFaults('a\u0000')).toMatchObject([{ pointer: '' }])
  expect(textFaults(undefined)).toEqual([])
})
