import { expect, it } from 'vitest'
import { respectRateLimit } from './rate-limit.ts'

const limited = (seconds: string) => () => new Response('{}', { status: 429, headers: { 'retry-after': seconds } })

/** Sends a request to a server that returns the given responses in order and then repeats the last one. */
const send = async (responses: (() => Response)[]) => {
  const waits: number[] = []
  let requests = 0
  const fetch = respectRateLimit(
    async () => responses[Math.min(requests++, responses.length - 1)]?.() ?? Response.error(),
    async (ms) => waits.push(ms),
  )
  const { status } = await fetch('http://flowpost.test', {})
  return { status, waits, requests }
}

it('retries a request after the requested delay', async () => {
  expect(await send([limited('2'), limited('1'), () => new Response(null, { status: 204 })])).toEqual({
    status: 204,
    waits: [2_000, 1_000],
    requests: 3,
  })
})

it('returns the 429 response after five retries', async () => {
  expect(await send([limited('1')])).toMatchObject({ status: 429, requests: 6 })
})

it('does not retry if the requested delay is too long or missing', async () => {
  expect(await send([limited('3600')])).toEqual({ status: 429, waits: [], requests: 1 })
  expect(await send([() => new Response(null, { status: 429 })])).toEqual({ status: 429, waits: [], requests: 1 })
})

it('does not retry after other errors', async () => {
  expect(await send([() => new Response(null, { status: 503, headers: { 'retry-after': '1' } })])).toEqual({
    status: 503,
    waits: [],
    requests: 1,
  })
})
