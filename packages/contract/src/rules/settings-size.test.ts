import { expect, it } from 'vitest'
import { fitsDocument } from './settings-size.ts'

it.each([
  [1_000, 10, true],
  [1_001, 10, false],
  [64, 65_536, true],
  [64, 65_537, false],
])('a document with %i flows and templates of %i bytes: %s', (count, bytes, fits) => {
  expect(fitsDocument(Array(count).fill({ message_template: 'x'.repeat(bytes) }))).toBe(fits)
})
