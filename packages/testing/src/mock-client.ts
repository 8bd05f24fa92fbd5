import { createFlowpost, type Flowpost, type FlowpostOptions } from '@flowpost/client'
import { definedFields } from './defined-fields.ts'
import type { Random } from './deterministic.ts'
import { isStalled } from './http/responses.ts'
import type { InternalClock } from './state/mock-clock.ts'

/** Options for a client of the mock. */
export interface MockClientOptions extends Omit<FlowpostOptions, 'baseUrl' | 'fetch'> {
  /**
   * The client's user. Each user sees only their own resources. Has no effect if `apiKey` is given.
   * @default "local"
   */
  readonly user?: string | undefined
}

type ApiKey = NonNullable<FlowpostOptions['apiKey']>

type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Wraps `fetch`, so that no time passes on the mock's clock while a response body is read. */
const trackBodyReads =
  (clock: InternalClock, fetch: Fetch): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init)
    if (isStalled(response)) return response
    const done = clock.markBusy()
    // After an abort, the client does not read the body, so the clock must not wait for it.
    if (init.signal?.aborted) done()
    else init.signal?.addEventListener('abort', done, { once: true })
    const read = response.text.bind(response)
    Object.assign(response, { text: () => read().finally(done) })
    // The client reads the body of an error response with a stream reader, not with `text()`.
    const { body } = response
    const getReader = body?.getReader.bind(body)
    if (body && getReader)
      Object.assign(body, {
        getReader: () => {
          const reader = getReader()
          reader.closed.catch(() => {}).then(done)
          return reader
        },
      })
    return response
  }

/** Stops the clock while an `apiKey` function runs. The function may take real time, for example to read a file. */
const trackCredential = (clock: InternalClock, apiKey: ApiKey): ApiKey =>
  typeof apiKey === 'function' ? () => clock.runCallback(apiKey) : apiKey

/**
 * Returns an object with the same methods and nested groups as the object that `target` returns. For each call of a method,
 * calls `target` again, and calls the method of the object that `target` returns then.
 */
const delegateTo = (target: () => object): object =>
  Object.fromEntries(
    Object.entries(target()).map(([key, value]) => {
      const current = () => Reflect.get(target(), key)
      return [key, typeof value === 'function' ? (...args: unknown[]) => current()(...args) : delegateTo(current)]
    }),
  )

/**
 * Creates a client that remains usable after its calls are aborted. It forwards each call to an underlying client from
 * `create`, and adds an abort function to `aborts`. The abort function disposes of the underlying client, which aborts its
 * calls. The next call then creates a new one.
 */
const createAbortable = (create: () => Flowpost, aborts: Set<() => void>): Flowpost => {
  let current: Flowpost | undefined
  const abort = () => {
    current?.[Symbol.dispose]()
    current = undefined
  }
  const target = (): Flowpost => {
    if (!current) {
      current = create()
      aborts.add(abort)
    }
    return current
  }
  const dispose = (): Flowpost => {
    const disposed = target()
    // `abort` is removed, because a disposed client must reject all later calls. Otherwise, a reset would run `abort`, and the
    // next call would create a new underlying client instead of being rejected.
    aborts.delete(abort)
    return disposed
  }
  return {
    ...(delegateTo(target) as Flowpost),
    [Symbol.dispose]: () => dispose()[Symbol.dispose](),
    [Symbol.asyncDispose]: () => dispose()[Symbol.asyncDispose](),
  }
}

/** The dependencies of {@link createMockClient}. */
export interface MockClientDeps {
  readonly clock: InternalClock
  readonly fetch: Fetch
  readonly baseUrl: string
  /** Returns the mock's current random generator. A reset replaces the generator. */
  readonly currentRandom: () => Random
  /**
   * Returns the API key for clients without the option `apiKey`. Called when a client is created, and again when it is
   * first used after a reset.
   */
  readonly currentApiKey: () => string
  /** A function for each client. It aborts all calls of the client that are in progress. */
  readonly aborts: Set<() => void>
}

/** Creates a `@flowpost/client` client that calls the mock directly and uses the mock's clock. */
export const createMockClient = (
  { clock, fetch, baseUrl, currentRandom, currentApiKey, aborts }: MockClientDeps,
  options: Omit<MockClientOptions, 'user'>,
): Flowpost => {
  const create = () =>
    createFlowpost({
      clock: { now: clock.now, schedule: clock.scheduleAwaited },
      // The underlying client keeps this generator, even after a reset gives the mock a new one. The reset aborts the client's
      // calls, but an aborted call can still draw a random number later. If it drew from the new generator, the numbers that the
      // next calls draw would not be reproducible.
      random: currentRandom(),
      // A mock's API key needs no protection.
      dangerouslyAllowBrowser: true,
      ...definedFields(options),
      apiKey: trackCredential(clock, options.apiKey ?? currentApiKey()),
      baseUrl,
      fetch: trackBodyReads(clock, fetch),
    })
  return createAbortable(create, aborts)
}
