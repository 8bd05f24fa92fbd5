import type { Flowpost } from '@flowpost/client'
import { scopes } from '@flowpost/contract'
import { builtInDescriptions, defaultRetryPolicy } from '@flowpost/domain'
import { createMockClient, type MockClientOptions } from './client.ts'
import { createClock, type MockClock } from './clock/mock-clock.ts'
import { createDispatcher } from './delivery/dispatcher.ts'
import { createSettlements } from './delivery/notification-status.ts'
import type { SentMessage } from './delivery/outbox.ts'
import { createDeliveryFaults } from './faults/delivery-faults.ts'
import { createFaults, type Faults } from './faults/faults.ts'
import { createRequestFaults } from './faults/request-faults.ts'
import { insertApiKey } from './features/api-keys.ts'
import { createHandlers } from './features/index.ts'
import { createFetch } from './http/fetch.ts'
import type { RecordedRequest } from './http/recorded-request.ts'
import { createIds } from './ids.ts'
import type { MockOptions } from './mock-options.ts'
import { createRandom, createWords } from './random.ts'
import { createSeed, type Seed } from './seed.ts'
import { clearStore, createStore } from './state/store.ts'
import type { Settings, World } from './state/world.ts'

/** A Flowpost server without a server: it keeps state and follows the contract and the rules of the real one. */
export interface FlowpostMock {
  /** Where it seems to be. */
  readonly baseUrl: string
  /** A key with all scopes of the user `local`. */
  readonly apiKey: string
  /** Answers requests. Give it to a client, or to whatever takes a `fetch`. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** Makes a client of `@flowpost/client`. It pauses on the clock of the mock, so a test with retries takes no time. */
  client(options?: MockClientOptions): Flowpost
  /** What the providers would have got, rendered, in order. */
  readonly outbox: readonly SentMessage[]
  /** Every request that came, in order. */
  readonly requests: readonly RecordedRequest[]
  /** Lets things go wrong. */
  readonly faults: Faults
  /** The time. */
  readonly clock: MockClock
  /** Makes resources without requests. */
  readonly seed: Seed
  /** Makes everything as it was at the beginning: no resources, no requests, no faults, the same seed and time. */
  reset(): void
}

const defaultUser = 'local'

const settingsOf = (options: MockOptions): Settings => {
  const providers = new Map((options.providers ?? builtInDescriptions).map((provider) => [provider.id, provider]))
  return {
    providers,
    deploymentCredentials: new Set(options.credentials ?? providers.keys()),
    capture: options.capture ?? 'off',
    retryPolicy: { ...defaultRetryPolicy, ...options.retryPolicy },
    ambiguous: options.ambiguous ?? 'retry',
    bodyLimitBytes: options.bodyLimitBytes ?? 1_048_576,
    queueLimit: options.queueLimit ?? Number.POSITIVE_INFINITY,
  }
}

/**
 * Makes a mock. Nothing is global: each has its own state and time, so tests may run side by side.
 *
 * @throws TypeError when `now` is no time, or `baseUrl` no URL.
 */
export const createFlowpostMock = (options: MockOptions = {}): FlowpostMock => {
  const baseUrl = (options.baseUrl ?? 'http://flowpost.test').replace(/\/+$/, '')
  const basePath = new URL(baseUrl).pathname.replace(/\/+$/, '')
  const startMs = new Date(options.now ?? Date.now()).getTime()
  if (Number.isNaN(startMs)) throw new TypeError('now must be a time.')
  const seedNumber = options.seed ?? 1

  const clock = createClock({ startMs, isManual: options.time === 'manual' })
  let drawn = createRandom(seedNumber)
  const random = () => drawn()
  let ids = createIds(clock.now, random)
  const world: World = {
    settings: settingsOf(options),
    store: createStore(),
    clock,
    random,
    words: createWords(random),
    makeId: (kind) => ids(kind),
  }

  const outbox: SentMessage[] = []
  const requests: RecordedRequest[] = []
  const requestFaults = createRequestFaults(random)
  const deliveryFaults = createDeliveryFaults()
  const settlements = createSettlements()
  const dispatcher = createDispatcher(world, { faults: deliveryFaults, settlements, outbox })
  const handlers = createHandlers(world, { dispatcher, settlements, faults: deliveryFaults })
  const open = new Set<AbortController>()
  const fetch = createFetch(world, { handlers, faults: requestFaults, dispatcher, requests, basePath, open })

  const makeKey = (userId: string, token?: string): string => insertApiKey(world, { userId, name: 'first key', scopes, token }).token
  const keyOf = (userId: string): string =>
    [...world.store.apiKeys.values()].find((key) => key.userId === userId && key.parentId === null && key.projectId === null)?.token ??
    makeKey(userId)
  const apiKey = makeKey(defaultUser, options.apiKey)

  return {
    baseUrl,
    apiKey,
    fetch,
    client: ({ user = defaultUser, ...rest } = {}) =>
      createMockClient({ clock, fetch, baseUrl, random }, { ...rest, apiKey: rest.apiKey ?? keyOf(user) }),
    outbox,
    requests,
    faults: createFaults(requestFaults, deliveryFaults),
    clock,
    seed: createSeed(world, handlers, { defaultUser, keyOf }),
    reset: () => {
      // What is being waited for belongs to the time before.
      for (const request of open) request.abort(new DOMException('The mock was reset.', 'AbortError'))
      clock.reset()
      clearStore(world.store)
      outbox.length = 0
      requests.length = 0
      requestFaults.clear()
      deliveryFaults.clear()
      drawn = createRandom(seedNumber)
      ids = createIds(clock.now, random)
      makeKey(defaultUser, options.apiKey)
    },
  }
}
