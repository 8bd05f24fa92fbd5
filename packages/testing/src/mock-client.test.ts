import { expect, it } from 'vitest'
import { createMockClient } from './mock-client.ts'
import { createClock } from './state/mock-clock.ts'

type Fetch = Parameters<typeof createMockClient>[0]['fetch']

/** Makes a client call with `fetch`, which may abort the call. Returns whether the clock still advances afterwards. */
const passesAfter = async (fetch: (abort: () => void) => ReturnType<Fetch>): Promise<boolean> => {
  const clock = createClock({ startMs: 0, isManual: false })
  const controller = new AbortController()
  const client = createMockClient(
    { clock, fetch: () => fetch(() => controller.abort()), baseUrl: 'http://flowpost.test', random: () => 0 },
    { apiKey: 'fp_test' },
  )
  await expect(client.projects.list({}, { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' })
  return new Promise((resolve) => {
    clock.scheduleAwaited(() => resolve(true), 1_000)
    setTimeout(() => resolve(false), 500)
  })
}

it('does not stop the clock when a call is aborted before the response body is read', async () => {
  const abortWithResponse = async (abort: () => void) => {
    abort()
    return Response.json({ data: [], next_cursor: null })
  }
  expect(await passesAfter(abortWithResponse)).toBe(true)
})

it.each([200, 503])('does not stop the clock when a call is aborted while the body of a %i response is read', async (status) => {
  const abortDuringBody = async (abort: () => void) => {
    setTimeout(abort, 1)
    return new Response(new ReadableStream(), { status })
  }
  expect(await passesAfter(abortDuringBody)).toBe(true)
})
