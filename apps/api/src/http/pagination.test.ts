import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../shared/api-error.ts'
import { decodeCursor, encodeCursor, pageOf } from './pagination.ts'

const uuid = fc.uuid()
const list = fc.string()
const filters = fc.dictionary(fc.string(), fc.option(fc.string(), { nil: undefined }), { maxKeys: 4 })
const given = (each: Record<string, string | undefined>) =>
  JSON.stringify(
    Object.entries(each)
      .filter(([, value]) => value !== undefined)
      .sort(),
  )

const isRejected = (name: string, by: Record<string, string | undefined>, cursor: string): boolean => {
  try {
    decodeCursor(name, by, cursor)
    return false
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError)
    expect((error as ApiError).code).toBe('invalid_cursor')
    return true
  }
}

describe('a cursor', () => {
  it('decodes to its row and needs no URL encoding', () => {
    fc.assert(
      fc.property(list, filters, uuid, (name, by, id) => {
        const cursor = encodeCursor(name, by, id)
        expect(cursor).toBe(encodeURIComponent(cursor))
        expect(decodeCursor(name, by, cursor)).toBe(id)
      }),
    )
  })

  it('does not depend on the order of filters or on unset ones', () => {
    fc.assert(
      fc.property(list, filters, uuid, (name, by, id) => {
        const reordered = Object.fromEntries([...Object.entries(by).reverse(), ['unset', undefined]])
        expect(decodeCursor(name, reordered, encodeCursor(name, by, id))).toBe(id)
      }),
    )
  })

  it('is rejected for another list or other filters', () => {
    fc.assert(
      fc.property(list, filters, list, filters, uuid, (name, by, otherName, otherBy, id) => {
        fc.pre(name !== otherName || given(by) !== given(otherBy))
        expect(isRejected(otherName, otherBy, encodeCursor(name, by, id))).toBe(true)
      }),
    )
  })

  it('is rejected when any character is changed', () => {
    fc.assert(
      fc.property(uuid, fc.nat(), fc.constantFrom(...'ABCXYZabcxyz0189-_'), (id, place, letter) => {
        const cursor = encodeCursor('flows', {}, id)
        const at = place % cursor.length
        fc.pre(cursor[at] !== letter)
        expect(isRejected('flows', {}, cursor.slice(0, at) + letter + cursor.slice(at + 1))).toBe(true)
      }),
    )
  })

  it('is rejected when it is random text, or when characters were added or removed', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => isRejected('flows', {}, text)))
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 25, maxLength: 25 }), (bytes) =>
        isRejected('flows', {}, Buffer.from(bytes).toString('base64url')),
      ),
    )
    const cursor = encodeCursor('flows', {}, '0193a1b2-6f0e-7c3d-9a44-1f2e3d4c5b6a')
    for (const text of ['', `${cursor}=`, `${cursor}A`, cursor.slice(1), ` ${cursor}`, `${cursor}\n`, cursor + cursor])
      expect(isRejected('flows', {}, text), JSON.stringify(text)).toBe(true)
  })
})

describe('a page', () => {
  const rowsOf = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ id: `0193a1b2-6f0e-7c3d-9a44-${String(index).padStart(12, '0')}` }))
  const page = (rows: number, limit: number) =>
    pageOf({ list: 'flows', filters: {}, limit, rows: rowsOf(rows), toResponse: ({ id }) => id })

  it('has a cursor to its last row if and only if there are more rows', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 51 }), (limit, rows) => {
        const { data, next_cursor: cursor } = page(Math.min(rows, limit + 1), limit)
        expect(data).toHaveLength(Math.min(rows, limit))
        expect(cursor === null).toBe(rows <= limit)
        if (cursor !== null) expect(decodeCursor('flows', {}, cursor)).toBe(data.at(-1))
      }),
    )
  })
})
