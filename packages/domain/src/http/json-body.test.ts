import { describe, expect, test } from 'vitest'
import { isEmptyBody, isJsonMediaType, parseJsonBody } from './json-body.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test('JSON in UTF-8 is told from other media types', () => {
  for (const type of ['application/json', 'Application/JSON; charset=UTF-8', 'application/json;charset="utf8"', 'application/json; v=1'])
    expect(isJsonMediaType(type), type).toBe(true)
  for (const type of ['', 'text/plain', 'application/json; charset=latin1', 'application/jsonx', 'application/problem+json'])
    expect(isJsonMediaType(type), type).toBe(false)
})

test('an empty body is nothing, or an empty object, and short', () => {
  for (const text of ['', ' ', '{}', ' {\n} ']) expect(isEmptyBody(bytes(text)), text).toBe(true)
  for (const text of ['[]', 'null', '{"a":1}', '{', ' '.repeat(65)]) expect(isEmptyBody(bytes(text)), text).toBe(false)
})

describe('a JSON body', () => {
  test('is read as it was written', () => {
    expect(parseJsonBody(bytes('{"a":["ü",null]}'))).toEqual({ ok: true, value: { a: ['ü', null] } })
  })

  test('is refused when it is not UTF-8 or not JSON, in one line', () => {
    expect(parseJsonBody(Uint8Array.of(0x22, 0xff, 0x22))).toMatchObject({ ok: false, detail: 'The body is not valid UTF-8.' })
    const refused = parseJsonBody(bytes('{\n\n x'))
    expect(refused).toMatchObject({ ok: false, detail: expect.stringMatching(/^The body is not valid JSON: [^\n]+$/) as string })
  })

  test('may be 32 levels deep, and has no key that could reach a prototype', () => {
    expect(parseJsonBody(bytes('['.repeat(32) + ']'.repeat(32))).ok).toBe(true)
    expect(parseJsonBody(bytes('['.repeat(33) + ']'.repeat(33)))).toMatchObject({
      ok: false,
      detail: expect.stringContaining('32') as string,
    })
    for (const key of ['__proto__', 'constructor', 'prototype']) expect(parseJsonBody(bytes(`[{"a":{"${key}":1}}]`)).ok, key).toBe(false)
  })
})
