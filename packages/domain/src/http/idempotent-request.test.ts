import { describe, expect, test } from 'vitest'
import { canonicalJson, requestFingerprint } from './idempotent-request.ts'

test('canonical JSON is the same for what means the same, and keeps the order of lists', () => {
  expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1}]}')
  expect(canonicalJson({ a: [1, 2] })).not.toBe(canonicalJson({ a: [2, 1] }))
  expect(canonicalJson({ a: '1' })).not.toBe(canonicalJson({ a: 1 }))
})

describe('the fingerprint of a request', () => {
  test('tells bodies apart, and not the order of their fields', () => {
    expect(requestFingerprint(undefined, { a: 1, b: 2 })).toBe(requestFingerprint(undefined, { b: 2, a: 1 }))
    expect(requestFingerprint(undefined, { a: 1 })).not.toBe(requestFingerprint(undefined, { a: 2 }))
    expect(requestFingerprint(undefined, undefined)).toBe(requestFingerprint(undefined, null))
  })

  test('tells credentials for different projects apart', () => {
    const prints = [undefined, 'p1', 'p2'].map((project) => requestFingerprint(project, { a: 1 }))
    expect(new Set(prints).size).toBe(3)
  })
})
