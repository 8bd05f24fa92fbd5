import type { Flowpost, FlowpostLock } from '@flowpost/client'
import { scopes } from '@flowpost/contract'
import { builtInDescriptions, defaultRetryPolicy, type RetryPolicy } from '@flowpost/domain'
import { definedFields, type OptionalFields } from './defined-fields.ts'
import { createCompletionTracker } from './delivery/completion.ts'
import { createDispatcher } from './delivery/dispatcher.ts'
import type { SentMessage } from './delivery/outbox.ts'
import { createIdGenerator, createRandom, createTokens } from './deterministic.ts'
import { createEventLog } from './events/event-log.ts'
import { createEventPushes } from './events/event-pushes.ts'
import { createMockEvents, type MockEvents } from './events/mock-events.ts'
import { createDeliveryFaults } from './faults/delivery-faults.ts'
import { createFaults, type Faults } from './faults/faults.ts'
import { createRequestFaults } from './faults/request-faults.ts'
import { insertApiKey } from './features/api-keys.ts'
import { createHandlers } from './features/index.ts'
import { createFetch } from './http/fetch.ts'
import type { RecordedRequest } from './http/recorded-request.ts'
import { parseLock } from './lock/parse-lock.ts'
import { seedLock } from './lock/seed-lock.ts'
import { createMockClient, type MockClientOptions } from './mock-client.ts'
import type { SourceType } from './public-types.ts'
import { createSeed, createSeedOrigin, type Seed } from './seed.ts'
import { createClock, type MockClock } from './state/mock-clock.ts'
import type { MockContext, MockProvider, Settings } from './state/mock-context.ts'
import { clearStore, createStore } from './state/store.ts'

/** Options of a mock. */
export interface MockOptions {
  /**
   * The seed of the mock's random values, such as identifiers, secrets, jitter and fault probabilities.
   * @default 1
   */
  readonly seed?: number | undefined
  /** The start time of the clock. Defaults to the current time. Set it to get the same identifiers in every run. */
  readonly now?: Date | string | number | undefined
  /**
   * With `auto`, the clock jumps ahead while something waits for it, for example a client before a retry, a read with `wait`,
   * or a request with a latency fault. The wait takes almost no real time. With `manual`, only `clock.advance` changes the
   * time.
   * @default "auto"
   */
  readonly time?: 'auto' | 'manual' | undefined
  /**
   * The base URL of the mock.
   * @default "http://flowpost.test"
   */
  readonly baseUrl?: string | undefined
  /**
   * The lock file from `flowpost types`. The mock starts with the file's projects, flows and integrations, so that
   * tests render the production templates. A flow that has no target in the file sends to a generated target, which is
   * derived from the flow's key.
   */
  readonly lock?: FlowpostLock | undefined
  /** The API key of the user `local`, with all scopes. Defaults to a key generated from the seed. */
  readonly apiKey?: string | undefined
  /** The providers that the mock supports. Defaults to the six built-in providers. */
  readonly providers?: readonly MockProvider[] | undefined
  /** The providers for which the deployment has credentials. Defaults to all providers. */
  readonly credentials?: readonly SourceType[] | undefined
  /**
   * The messages that are captured instead of sent: all (`on`), none (`off`), or messages to providers without
   * credentials (`missing`). Corresponds to `FLOWPOST_CAPTURE`.
   * @default "off"
   */
  readonly capture?: 'on' | 'off' | 'missing' | undefined
  /**
   * The retry policy for failed deliveries and event pushes. Omitted fields have the server's defaults. An `initialWaitMs` of 0
   * counts as 1.
   */
  readonly retryPolicy?: OptionalFields<RetryPolicy> | undefined
  /**
   * The action when a provider's response is lost: `retry` the delivery, or `hold` it with the status `ambiguous`.
   * Corresponds to `FLOWPOST_AMBIGUOUS`.
   * @default "retry"
   */
  readonly ambiguous?: 'retry' | 'hold' | undefined
  /**
   * Maximum size of a request body in bytes.
   * @default 1_048_576
   */
  readonly bodyLimitBytes?: number | undefined
  /**
   * Maximum number of pending deliveries. Corresponds to `FLOWPOST_QUEUE_LIMIT`. Scheduled deliveries that are not due
   * yet have a separate limit of the same size. One user may use at most half of each limit, rounded up. Defaults to no
   * limit.
   */
  readonly queueLimit?: number | undefined
}

/** An in-memory Flowpost server that follows the contract and the rules of the real server. */
export interface FlowpostMock {
  /** The base URL of the mock. */
  readonly baseUrl: string
  /** The API key of the user `local`, with all scopes. */
  readonly apiKey: string
  /** Processes requests. Pass this function to a client, or to any code that accepts a `fetch` function. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** Creates a `@flowpost/client` client that uses the mock's clock, so that retries do not slow down a test. */
  client(options?: MockClientOptions): Flowpost
  /** The rendered messages that providers would have received, in order. */
  readonly outbox: readonly SentMessage[]
  /** All received requests, in order. */
  readonly requests: readonly RecordedRequest[]
  /** The stored events, and their delivery to a receiver under test. */
  readonly events: MockEvents
  /** Injects faults into requests and deliveries. */
  readonly faults: Faults
  /** Controls the mock's time, for example to reach a retry or an expiry without waiting. */
  readonly clock: MockClock
  /** Creates resources without requests. */
  readonly seed: Seed
  /**
   * Resets the mock to its initial state: the resources from `lock`, no requests or faults, and the initial seed and
   * time. Requests and client calls in progress reject with an `AbortError`. For client calls, its message is "The client
   * was disposed." Clients remain usable, unless their option `apiKey` is a key that the reset has removed.
   */
  reset(): void
}

const defaultUser = 'local'

/**
 * Creates a retry policy whose waits grow even if `initialWaitMs` is 0. If they stayed at 0, an outage would cause
 * millions of attempts.
 */
const createRetryPolicy = (given: MockOptions['retryPolicy']): RetryPolicy => {
  const policy = { ...defaultRetryPolicy, ...definedFields<RetryPolicy>(given) }
  return { ...policy, initialWaitMs: Math.max(1, policy.initialWaitMs) }
}

const createSettings = (options: MockOptions): Settings => {
  const providers = new Map((options.providers ?? builtInDescriptions).map((provider) => [provider.id, provider]))
  return {
    providers,
    deploymentCredentials: new Set(options.credentials ?? providers.keys()),
    capture: options.capture ?? 'off',
    retryPolicy: createRetryPolicy(options.retryPolicy),
    ambiguous: options.ambiguous ?? 'retry',
    bodyLimitBytes: options.bodyLimitBytes ?? 1_048_576,
    queueLimit: options.queueLimit ?? Number.POSITIVE_INFINITY,
  }
}

/**
 * Creates a mock. Each mock has its own state and clock, so tests may run in parallel.
 *
 * @throws {TypeError} When `now` is not a valid time, `time` is unknown, `baseUrl` is not a valid URL, `lock` is not a lock file that this
 * version supports, or a project in the lock file cannot be created.
 */
export const createFlowpostMock = (options: MockOptions = {}): FlowpostMock => {
  const baseUrl = (options.baseUrl ?? 'http://flowpost.test').replace(/\/+$/, '')
  const basePath = new URL(baseUrl).pathname.replace(/\/+$/, '')
  const startMs = new Date(options.now ?? Date.now()).getTime()
  if (Number.isNaN(startMs)) throw new TypeError('The option `now` must be a valid time.')
  if (!['auto', 'manual', undefined].includes(options.time)) throw new TypeError('The option `time` must be `auto` or `manual`.')
  const seedNumber = options.seed ?? 1
  const lock = options.lock === undefined ? undefined : parseLock(options.lock)

  const clock = createClock({ startMs, isManual: options.time === 'manual' })
  let generator = createRandom(seedNumber)
  const random = () => generator()
  let ids = createIdGenerator(clock.now, random)
  const context: MockContext = {
    settings: createSettings(options),
    store: createStore(),
    clock,
    random,
    tokens: createTokens(random),
    generateId: (kind) => ids(kind),
  }

  const outbox: SentMessage[] = []
  const requests: RecordedRequest[] = []
  const requestFaults = createRequestFaults(random)
  const deliveryFaults = createDeliveryFaults()
  const events = createEventLog(context)
  const pushes = createEventPushes(context, () => Date.now())
  events.onEvent(pushes.startAll)
  const completion = createCompletionTracker(events.recordCompletion)
  const dispatcher = createDispatcher(context, { faults: deliveryFaults, completion, events, outbox })
  const handlers = createHandlers(context, { dispatcher, completion, faults: deliveryFaults, events, pushes })
  const pending = new Set<AbortController>()
  const fetch = createFetch(context, { handlers, faults: requestFaults, dispatcher, requests, basePath, pending })

  const aborts = new Set<() => void>()
  /** Maps each user to the token of the user's API key, which has all scopes. */
  const apiKeys = new Map<string, string>()
  const createKey = (userId: string, given?: string): string => {
    const { token } = insertApiKey(context, { userId, name: 'first key', scopes, token: given })
    apiKeys.set(userId, token)
    return token
  }
  const apiKeyOf = (userId: string): string => {
    const token = apiKeys.get(userId)
    // A test may have revoked the key.
    const isValid = [...context.store.apiKeys.values()].some((key) => key.token === token)
    return token !== undefined && isValid ? token : createKey(userId)
  }
  const apiKey = createKey(defaultUser, options.apiKey)
  const seed = createSeed(context, handlers, { defaultUser, apiKeyOf })
  const createLocked = () => {
    if (lock) seedLock(context, { seed, origin: createSeedOrigin(context, defaultUser, apiKeyOf(defaultUser)) }, lock)
  }
  createLocked()

  return {
    baseUrl,
    apiKey,
    fetch,
    client: ({ user = defaultUser, ...rest } = {}) =>
      createMockClient({ clock, fetch, baseUrl, currentRandom: () => generator, currentApiKey: () => apiKeyOf(user), aborts }, rest),
    outbox,
    requests,
    events: createMockEvents(context, pushes),
    faults: createFaults(requestFaults, deliveryFaults),
    clock: { now: clock.now, schedule: clock.scheduleExternal, advance: clock.advance },
    seed,
    reset: () => {
      // Aborts calls and requests in progress, which belong to the old state.
      for (const abort of aborts) abort()
      aborts.clear()
      for (const request of pending) request.abort(new DOMException('The mock was reset.', 'AbortError'))
      clock.reset()
      clearStore(context.store)
      outbox.length = 0
      requests.length = 0
      requestFaults.clear()
      deliveryFaults.clear()
      pushes.clear()
      apiKeys.clear()
      generator = createRandom(seedNumber)
      ids = createIdGenerator(clock.now, random)
      createKey(defaultUser, options.apiKey)
      createLocked()
    },
  }
}
