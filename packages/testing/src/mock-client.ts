import { createFlowpost, type Flowpost, type FlowpostOptions } from '@flowpost/client'
import type { Random } from './deterministic.ts'
import { isStalled } from './http/responses.ts'
import type { InternalClock } from './state/mock-clock.ts'

/** Options for a client of the mock. */
export interface MockClientOptions extends Omit<FlowpostOptions, 'baseUrl' | 'fetch'> {
  /**
   * The client's user. Each user sees only their own resources. Has no effect if `apiKey` is given.
   * @default "local"
   */
  readonly user?: string
}

type ApiKey = NonNullable<FlowpostOptions['apiKey']>

type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Marks the clock as busy while a response body is read, so that no time passes. */
const trackBodyReads =
  (clock: InternalClock, fetch: Fetch): Fetch =>
  async (url, init) => {
    const response = await fetch(url, init)
    if (isStalled(response)) return response
    const done = clock.markBusy()
    // After an abort, the client does not read the body.
    if (init.signal?.aborted) done()
    else init.signal?.addEventListener('abort', done, { once: true })
    const read = response.text.bind(response)
    Object.assign(response, { text: () => read().finally(done) })
    // The client reads error bodies in chunks.
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

/** Stops the clock while a credential function runs. Such a function may read a file, for example. */
const trackCredential = (clock: InternalClock, apiKey: ApiKey): ApiKey =>
  typeof apiKey === 'function' ? () => clock.runCallback(apiKey) : apiKey

/** Returns an object with the methods and nested groups of `target()`. Each call is forwarded to the current result of `target()`. */
const delegateTo = (target: () => object): object =>
  Object.fromEntries(
    Object.entries(target()).map(([key, value]) => {
      const current = () => Reflect.get(target(), key)
      return [key, typeof value === 'function' ? (...args: unknown[]) => current()(...args) : delegateTo(current)]
    }),
  )

/**
 * Creates a client that remains usable after its calls are aborted. The first call creates an underlying client, and adds to
 * `aborts` a function that disposes of this client, which aborts its calls. After an abort, the next call creates a new client
 * in the same way.
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
    // A reset must not replace the client after the user has disposed of it. The disposed client rejects all later calls.
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
  /** Returns the source of random numbers for calls that begin now. */
  readonly currentRandom: () => Random
  /** Returns the key of a client without the option `apiKey`. Called again after each abort. */
  readonly currentApiKey: () => string
  /** Functions that each abort one client's calls in progress. */
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
      // Passes the current generator, which a reset replaces. When a reset aborts a call, the call still draws a number. It must
      // draw from the old generator, so that the numbers after the reset are reproducible.
      random: currentRandom(),
      // A mock's API key needs no protection.
      dangerouslyAllowBrowser: true,
      ...options,
      apiKey: trackCredential(clock, options.apiKey ?? currentApiKey()),
      baseUrl,
      fetch: trackBodyReads(clock, fetch),
    })
  return createAbortable(create, aborts)
}
