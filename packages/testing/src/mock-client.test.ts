import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createFlowpostMock } from './mock.ts'
import { createMockClient, type MockClientOptions } from './mock-client.ts'
import { createClock } from './state/mock-clock.ts'

type Fetch = Parameters<typeof createMockClient>[0]['fetch']

/** Makes a client call with `fetch`, which may abort the call. Returns whether the clock still advances afterwards. */
const passesAfter = async (fetch: (abort: () => void) => ReturnType<Fetch>): Promise<boolean> => {
  const clock = createClock({ startMs: 0, isManual: false })
  const controller = new AbortController()
  const client = createMockClient(
    {
      clock,
      fetch: () => fetch(() => controller.abort()),
      baseUrl: 'http://flowpost.test',
      currentRandom: () => () => 0,
      currentApiKey: () => 'fp_test',
      aborts: new Set(),
    },
    {},
  )
  await expect(client.projects.list({}, { signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' })
  return new Promise((resolve) => {
    clock.scheduleAwaited(() => resolve(true), 1_000)
    void setTimeout(500).then(() => resolve(false))
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
    void setTimeout(1).then(abort)
    return new Response(new ReadableStream(), { status })
  }
  expect(await passesAfter(abortDuringBody)).toBe(true)
})

it.each(['local', 'alice'])('has a valid key, although the first key of the user %s was revoked', async (user) => {
  const mock = createFlowpostMock()
  const first = mock.client({ user })
  const [key] = (await first.apiKeys.list()).data
  await first.apiKeys.delete(key?.id ?? '')
  await expect(first.projects.list().withResponse()).rejects.toMatchObject({ status: 401 })
  const { name } = mock.seed.project({ user })
  expect((await mock.client({ user }).projects.list()).data).toMatchObject([{ name }])
})

describe('an option that is undefined', () => {
  afterEach(() => void vi.unstubAllGlobals())

  it('does not replace the clock and the random generator of the mock', async () => {
    const waitWith = async (options: MockClientOptions) => {
      const mock = createFlowpostMock({ seed: 7 })
      const startedAt = mock.clock.now()
      const flowpost = mock.client(options)
      mock.faults.next('projects.list', { status: 503 })
      await flowpost.projects.list()
      return mock.clock.now() - startedAt
    }
    const waitMs = await waitWith({ clock: undefined, random: undefined })
    expect(waitMs).toBe(await waitWith({}))
    expect(waitMs).toBeGreaterThan(0)
  })

  it('does not stop the client from working in a browser', () => {
    const mock = createFlowpostMock()
    vi.stubGlobal('document', {})
    vi.stubGlobal('process', undefined)
    expect(() => mock.client({ dangerouslyAllowBrowser: undefined }).projects).not.toThrow()
  })
})

describe('an apiKey function', () => {
  const callWith = async (getKey: (mock: ReturnType<typeof createFlowpostMock>) => Promise<string>) => {
    const mock = createFlowpostMock()
    const startedAt = mock.clock.now()
    await mock.client({ apiKey: () => getKey(mock), maxRetries: 0 }).projects.list()
    return mock.clock.now() - startedAt
  }

  it('stops the time while it works', async () => {
    expect(
      await callWith(async (mock) => {
        await setTimeout(20)
        return mock.apiKey
      }),
    ).toBe(0)
  })

  it.each([
    ['a timer of the clock', async (mock) => new Promise((resolve) => void mock.clock.schedule(() => resolve(mock.apiKey), 1_000))],
    ['an advance of the clock', (mock) => mock.clock.advance(1_000).then(() => mock.apiKey)],
    [
      'the retry of another client',
      async (mock) => {
        mock.faults.next('apiKeys.create', { status: 503, retryAfter: 1 })
        return (await mock.client({ random: () => 0 }).apiKeys.create({ name: 'token' })).key
      },
    ],
  ] satisfies [string, Parameters<typeof callWith>[0]][])('can wait for %s', async (_, getKey) => {
    expect(await callWith(getKey)).toBe(1_000)
  })
})
