import { describe, expect, it } from 'vitest'
import { ApiError } from './api-error.ts'
import { findBulkActionErrors, requireBulkActionCapacity, toPreviewCounts } from './bulk-actions.ts'

const pointers = (action: unknown, filter: unknown) => findBulkActionErrors({ action, filter }).map(({ pointer }) => pointer)

describe('findBulkActionErrors', () => {
  it('rejects a status that the action cannot change', () => {
    expect(pointers('retry', { status: 'queued' })).toEqual(['/filter/status'])
    expect(pointers('cancel', { status: 'failed' })).toEqual(['/filter/status'])
    for (const status of ['failed', 'ambiguous']) expect(pointers('retry', { status })).toEqual([])
    for (const status of ['queued', 'retrying']) expect(pointers('cancel', { status })).toEqual([])
  })

  it('rejects an empty time range', () => {
    const created_after = '2026-11-21T09:00:00Z'
    expect(pointers('retry', { created_after, created_before: '2026-11-21T10:00:00+01:00' })).toEqual(['/filter/created_before'])
    expect(pointers('retry', { created_after, created_before: '2026-11-21T09:00:00.001Z' })).toEqual([])
  })

  it('rejects a time whose year has more than four digits in UTC', () => {
    expect(pointers('retry', { created_after: '9999-12-31T23:59:59-01:00' })).toEqual(['/filter/created_after'])
    expect(pointers('retry', { created_after: '0000-01-01T00:00:00+01:00' })).toEqual(['/filter/created_after'])
  })

  it('ignores values that the schema rejects', () => {
    for (const body of [undefined, null, 7, [], {}, { action: 'drop', filter: { status: 'queued' } }])
      expect(findBulkActionErrors(body)).toEqual([])
    expect(pointers('retry', null)).toEqual([])
    expect(pointers('retry', { status: 'lost', created_after: 7, created_before: 'soon' })).toEqual([])
  })
})

describe('requireBulkActionCapacity', () => {
  it('rejects an action above the maximum, with the time to wait', () => {
    expect(() => requireBulkActionCapacity(9)).not.toThrow()
    expect(() => requireBulkActionCapacity(10)).toThrow(ApiError)
    expect(() => requireBulkActionCapacity(10)).toThrow(expect.objectContaining({ code: 'rate_limited', headers: { 'Retry-After': '10' } }))
  })
})

describe('toPreviewCounts', () => {
  it('starts with the highest count, and orders equal counts by status and failure code', () => {
    const counts = [
      { status: 'failed', failure_code: 'b', count: 1 },
      { status: 'failed', failure_code: 'a', count: 1 },
      { status: 'failed', failure_code: null, count: 1 },
      { status: 'ambiguous', failure_code: 'z', count: 1 },
      { status: 'failed', failure_code: 'c', count: 2 },
    ]
    const names = toPreviewCounts(counts).map(({ status, failure_code }) => `${status} ${failure_code}`)
    expect(names).toEqual(['failed c', 'ambiguous z', 'failed null', 'failed a', 'failed b'])
  })

  it('returns the first 100', () => {
    const counts = Array.from({ length: 101 }, (_, index) => ({ status: 'failed', failure_code: `${index}`, count: index }))
    expect(toPreviewCounts(counts).map(({ count }) => count)).toEqual(
      counts
        .map(({ count }) => count)
        .reverse()
        .slice(0, 100),
    )
  })
})
