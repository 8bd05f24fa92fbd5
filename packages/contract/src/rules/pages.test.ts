import { describe, expect, it } from 'vitest'
import { countDeliveryRows, fillPage, limitPage, maxEmbeddedRows, maxPageBytes, toCursorBinding } from './pages.ts'

describe('toCursorBinding', () => {
  it('depends on the list and its filters, but not on their order or on filters that are not set', () => {
    const binding = toCursorBinding('flows', { b: '2', a: '1' })
    expect(toCursorBinding('flows', { a: '1', b: '2', c: undefined })).toBe(binding)
    expect(toCursorBinding('deliveries', { a: '1', b: '2' })).not.toBe(binding)
    expect(toCursorBinding('flows', { a: '1' })).not.toBe(binding)
    expect(toCursorBinding('flows', { a: '1', b: '3' })).not.toBe(binding)
    expect(toCursorBinding('flows', { a: '2', b: '1' })).not.toBe(binding)
    expect(toCursorBinding('flows', { a: '1,b', c: '2' })).not.toBe(toCursorBinding('flows', { a: '1', 'b,c': '2' }))
  })
})

describe('limitPage', () => {
  it('returns the limit, or fewer when the resources embed too many rows', () => {
    expect(limitPage(3, [1, 1, 1, 1])).toBe(3)
    expect(limitPage(3, [])).toBe(3)
    expect(limitPage(3, [1_000, 1_000, 0, 1])).toBe(3)
    expect(limitPage(3, [1_000, 1_000, 1])).toBe(2)
    expect(limitPage(3, [0, 0, maxEmbeddedRows + 1])).toBe(2)
  })

  it('returns at least one, however many rows the first resource embeds', () => {
    expect(limitPage(3, [maxEmbeddedRows + 1, 1])).toBe(1)
  })

  it('counts a delivery and its embedded attempts', () => {
    expect(countDeliveryRows({ attempt_count: 0 }, 20)).toBe(1)
    expect(countDeliveryRows({ attempt_count: 3 }, 20)).toBe(4)
    expect(countDeliveryRows({ attempt_count: 300 }, 20)).toBe(21)
  })
})

describe('fillPage', () => {
  /** Returns a text whose JSON has this many bytes. */
  const createText = (jsonBytes: number): string => 'x'.repeat(jsonBytes - 2)

  it('returns every resource if the resources are small', () => {
    expect(fillPage([1, 2, 3], (row) => row * 2)).toEqual([2, 4, 6])
    expect(fillPage([], (row) => row)).toEqual([])
    const half = createText(maxPageBytes / 2)
    expect(fillPage([half, half], (row) => row)).toHaveLength(2)
  })

  it('ends before the page exceeds 1 MiB in UTF-8', () => {
    const half = createText(maxPageBytes / 2)
    expect(fillPage([half, half, ''], (row) => row)).toHaveLength(2)
    expect(fillPage([half, `${half}x`, ''], (row) => row)).toHaveLength(1)
    expect(fillPage(['é'.repeat(300_000), 'é'.repeat(300_000)], (row) => row)).toHaveLength(1)
  })

  it('returns at least one resource, however large', () => {
    expect(fillPage(['x'.repeat(2 * maxPageBytes), 'y'], (row) => row)).toHaveLength(1)
  })

  it('converts no more rows than necessary', () => {
    let converted = 0
    fillPage(Array.from({ length: 100 }), () => {
      converted += 1
      return 'x'.repeat(maxPageBytes)
    })
    expect(converted).toBe(2)
  })
})
