import { describe, expect, it, test } from 'vitest'
import { toCanonicalJson } from './idempotency.ts'
import { parseJsonBody, requireEmptyBody, requireJson } from './json-body.ts'

const toBytes = (text: string) => new TextEncoder().encode(text)
const withCode = (code: string, detail: unknown = expect.any(String)) => expect.objectContaining({ code, message: detail }) as Error

describe('requireJson', () => {
  it('accepts JSON in UTF-8', () => {
    for (const type of ['application/json', 'Application/JSON; charset=UTF-8', 'application/json;charset="utf8"', 'application/json; v=1'])
      expect(() => requireJson(type, undefined), type).not.toThrow()
  })

  it('throws unsupported_media_type for other media types and encodings', () => {
    for (const type of ['', 'text/plain', 'application/json; charset=latin1', 'application/jsonx', 'application/problem+json'])
      expect(() => requireJson(type, null), type).toThrow(withCode('unsupported_media_type'))
    expect(() => requireJson('application/json', 'gzip')).toThrow(withCode('unsupported_media_type'))
    expect(() => requireJson('application/json', 'Identity')).not.toThrow()
  })
})

test('requireEmptyBody accepts white space and an empty object, and throws for anything else', () => {
  for (const text of ['', ' ', '{}', ' {\n} ']) expect(() => requireEmptyBody(toBytes(text)), text).not.toThrow()
  for (const text of ['[]', 'null', '{"a":1}', '{', ' '.repeat(65)])
    expect(() => requireEmptyBody(toBytes(text)), text).toThrow(withCode('validation_failed'))
  expect(() => requireEmptyBody(undefined)).toThrow(withCode('validation_failed'))
})

describe('parseJsonBody', () => {
  it('returns the value', () => {
    expect(parseJsonBody(toBytes('{"a":["ü",null]}'))).toEqual({ a: ['ü', null] })
  })

  it('throws invalid_json with a single-line detail for invalid UTF-8 and invalid JSON', () => {
    expect(() => parseJsonBody(Uint8Array.of(0x22, 0xff, 0x22))).toThrow(withCode('invalid_json', 'The body is not valid UTF-8.'))
    const detail = expect.stringMatching(/^The body is not valid JSON: [^\n]+$/)
    expect(() => parseJsonBody(toBytes('{\n\n x'))).toThrow(withCode('invalid_json', detail))
  })

  it('throws invalid_json beyond 32 levels, and for the key __proto__', () => {
    expect(() => parseJsonBody(toBytes('['.repeat(32) + ']'.repeat(32)))).not.toThrow()
    const tooDeep = withCode('invalid_json', expect.stringContaining('32'))
    expect(() => parseJsonBody(toBytes('['.repeat(33) + ']'.repeat(33)))).toThrow(tooDeep)
    const forbiddenKey = withCode('invalid_json', 'The body must not have a key named "__proto__".')
    expect(() => parseJsonBody(toBytes('[{"a":{"__proto__":1}}]'))).toThrow(forbiddenKey)
  })

  it('accepts the keys constructor and prototype', () => {
    const text = '{"constructor":{"prototype":1},"prototype":"a"}'
    expect(JSON.stringify(parseJsonBody(toBytes(text)))).toBe(text)
  })
})

const parseOrIgnore = (text: string) => {
  try {
    parseJsonBody(toBytes(text))
  } catch {}
}

test.each<[string, () => unknown]>([
  ['nested lists', () => parseOrIgnore('['.repeat(100_000) + ']'.repeat(100_000))],
  ['nested objects', () => parseOrIgnore('{"":'.repeat(100_000) + '}'.repeat(100_000))],
  ['10,000 fields', () => toCanonicalJson(Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`f${index}`, index])))],
])('processes %s in linear time', (_, work) => {
  const durationsMs = Array.from({ length: 12 }, () => {
    const startedMs = performance.now()
    work()
    return performance.now() - startedMs
  })
  expect(Math.min(...durationsMs)).toBeLessThan(200)
})
