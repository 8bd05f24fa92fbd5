import { describe, expect, test } from 'vitest'
import { buildOperationPath, fingerprintRequest, toCanonicalJson } from './idempotency.ts'

test('toCanonicalJson ignores the order of fields and keeps the order of lists', () => {
  expect(toCanonicalJson({ b: [{ d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1}]}')
  expect(toCanonicalJson({ a: [1, 2] })).not.toBe(toCanonicalJson({ a: [2, 1] }))
  expect(toCanonicalJson({ a: '1' })).not.toBe(toCanonicalJson({ a: 1 }))
})

describe('fingerprintRequest', () => {
  test('depends on the body, but not on the order of its fields', () => {
    expect(fingerprintRequest(undefined, { a: 1, b: 2 })).toBe(fingerprintRequest(undefined, { b: 2, a: 1 }))
    expect(fingerprintRequest(undefined, { a: 1 })).not.toBe(fingerprintRequest(undefined, { a: 2 }))
    expect(fingerprintRequest(undefined, undefined)).toBe(fingerprintRequest(undefined, null))
  })

  test("depends on the credential's project", () => {
    const prints = [undefined, 'p1', 'p2'].map((project) => fingerprintRequest(project, { a: 1 }))
    expect(new Set(prints).size).toBe(3)
  })
})

test('buildOperationPath fills in the encoded parameters', () => {
  expect(buildOperationPath('/v1/a/:project_id/b/:flow_id', { project_id: 'x/y', flow_id: '1' })).toBe('/v1/a/x%2Fy/b/1')
})
