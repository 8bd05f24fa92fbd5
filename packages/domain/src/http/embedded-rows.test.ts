import { expect, test } from 'vitest'
import { mostEmbeddedRows, pageLength, rowsOfDelivery } from './embedded-rows.ts'

test('a page is as long as its limit while it embeds little, and ends before it would embed too much', () => {
  expect(pageLength(3, [1, 1, 1, 1])).toBe(3)
  expect(pageLength(3, [])).toBe(3)
  expect(pageLength(3, [1_000, 1_000, 0, 1])).toBe(3)
  expect(pageLength(3, [1_000, 1_000, 1])).toBe(2)
  expect(pageLength(3, [0, 0, mostEmbeddedRows + 1])).toBe(2)
})

test('a page holds one resource, however much that embeds', () => {
  expect(pageLength(3, [mostEmbeddedRows + 1, 1])).toBe(1)
})

test('a delivery counts with the attempts that are embedded', () => {
  expect(rowsOfDelivery({ attempt_count: 0 }, 20)).toBe(1)
  expect(rowsOfDelivery({ attempt_count: 3 }, 20)).toBe(4)
  expect(rowsOfDelivery({ attempt_count: 300 }, 20)).toBe(21)
})
