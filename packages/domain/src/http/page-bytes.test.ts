import { expect, test } from 'vitest'
import { fillPage, maxPageBytes } from './page-bytes.ts'

/** A text whose JSON has so many bytes. */
const jsonOf = (bytes: number): string => 'x'.repeat(bytes - 2)

test('holds every row while they are small together', () => {
  expect(fillPage([1, 2, 3], (row) => row * 2)).toEqual([2, 4, 6])
  expect(fillPage([], (row) => row)).toEqual([])
  const half = jsonOf(maxPageBytes / 2)
  expect(fillPage([half, half], (row) => row)).toHaveLength(2)
})

test('ends before it has more than 1 MiB, counted in UTF-8', () => {
  const half = jsonOf(maxPageBytes / 2)
  expect(fillPage([half, half, ''], (row) => row)).toHaveLength(2)
  expect(fillPage([half, `${half}x`, ''], (row) => row)).toHaveLength(1)
  expect(fillPage(['é'.repeat(300_000), 'é'.repeat(300_000)], (row) => row)).toHaveLength(1)
})

test('holds one resource, however large', () => {
  expect(fillPage(['x'.repeat(2 * maxPageBytes), 'y'], (row) => row)).toHaveLength(1)
})

test('converts no more rows than it needs to', () => {
  let converted = 0
  fillPage(Array.from({ length: 100 }), () => {
    converted += 1
    return 'x'.repeat(maxPageBytes)
  })
  expect(converted).toBe(2)
})
