import { Readable } from 'node:stream'
import { api } from '@flowpost/contract'
import type { Request, Response } from 'express'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ApiError } from '../shared/api-error.ts'
import { jsonBody } from './json-body.ts'

type Route = { readonly method: string }

/** Parses a body as part of a request. Returns the body, or the code of the problem. */
const read = async (
  chunks: readonly (string | Uint8Array)[],
  options: { headers?: Record<string, string>; limit?: number; route?: Route } = {},
) => {
  const stream = Readable.from(
    chunks.map((chunk) => Buffer.from(chunk)),
    { objectMode: true },
  )
  const request = Object.assign(stream, {
    headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked', ...options.headers },
    tsRestRoute: options.route ?? api.projects.create,
    body: undefined as unknown,
  })
  try {
    await jsonBody(options.limit ?? 1_000)(request as unknown as Request, {} as Response, () => {})
    return { body: request.body }
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, errors: error.errors?.map(({ pointer, code }) => `${pointer} ${code}`) }
    throw error
  }
}

const hasForbiddenKey = (value: unknown): boolean =>
  value !== null && typeof value === 'object' && Object.entries(value).some(([key, inner]) => key === '__proto__' || hasForbiddenKey(inner))

describe('a JSON body', () => {
  it('is parsed identically however it is split into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 5 }), fc.integer({ min: 1, max: 7 }), async (value, size) => {
        fc.pre(!hasForbiddenKey(value))
        const bytes = Buffer.from(JSON.stringify(value))
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.subarray(index * size, (index + 1) * size),
        )
        expect(await read(chunks, { limit: 100_000 })).toEqual({ body: JSON.parse(JSON.stringify(value)) })
      }),
    )
  })

  it('is rejected when it is not JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (text) => {
        fc.pre(text !== '')
        let valid = true
        try {
          JSON.parse(text)
        } catch {
          valid = false
        }
        if (!valid) expect(await read([text])).toMatchObject({ code: 'invalid_json' })
      }),
    )
  })

  it('is accepted up to the limit and rejected one byte above', async () => {
    const text = JSON.stringify({ name: 'a'.repeat(89) })
    expect(text).toHaveLength(100)
    expect(await read([text], { limit: 100 })).toHaveProperty('body')
    expect(await read([text], { limit: 99 })).toMatchObject({ code: 'body_too_large' })
    expect(await read([], { headers: { 'content-length': '100' }, limit: 99 })).toMatchObject({ code: 'body_too_large' })
  })

  it('is not read to its end when it exceeds the limit', async () => {
    let given = 0
    const endless = function* () {
      for (; given < 1_000; given += 1) yield Buffer.alloc(1_000)
    }
    const request = Object.assign(Readable.from(endless(), { highWaterMark: 1 }), {
      headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
      tsRestRoute: api.projects.create,
    })
    const reading = Promise.resolve(jsonBody(5_000)(request as unknown as Request, {} as Response, () => {}))
    const taken = await reading.then(
      () => Number.POSITIVE_INFINITY,
      () => given,
    )
    expect(taken).toBeLessThan(20)
  })

  it('may be 32 levels deep, and no deeper', async () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(await read([nested(32)])).toHaveProperty('body')
    expect(await read([nested(33)])).toMatchObject({ code: 'invalid_json' })
  })

  it('is rejected with the key `__proto__` at any depth', async () => {
    for (const text of ['{"__proto__":1}', '{"a":{"__proto__":{}}}', '[[{"__proto__":null}]]'])
      expect(await read([text]), text).toMatchObject({ code: 'invalid_json' })
  })
})

describe('an operation that takes no body', () => {
  it('accepts an empty body on POST and rejects others', async () => {
    const route = api.notifications.cancel
    for (const text of ['', '{}', ' {\n} ']) expect(await read([text], { route }), JSON.stringify(text)).toEqual({ body: undefined })
    for (const text of ['{"a":1}', '[]', 'null', '{', 'x'.repeat(5_000)])
      expect(await read([text], { route }), text.slice(0, 10)).toEqual({ code: 'validation_failed', errors: [' unknown_field'] })
  })

  it('ignores the body of GET and DELETE', async () => {
    for (const route of [api.projects.get, api.projects.delete])
      expect(await read(['{'], { route, headers: { 'content-type': 'x' } })).toEqual({ body: undefined })
  })
})
