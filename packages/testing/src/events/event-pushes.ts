import { decideMockRetry } from '../delivery/decide-retry.ts'
import type { EventAttempt, EventEndpointHealth, PushedEvent } from '../state/api-types.ts'
import { type MockContext, timestamp } from '../state/mock-context.ts'
import type { EventEndpointRecord } from '../state/store.ts'
import { acceptedPush, type PushReceiver, type PushResult, sendPush } from './send-push.ts'

/** Sends events to a mock's endpoints: in order, at least once, and with the same retries as the server. */
export interface EventPushes {
  /** Sends the events that an endpoint has not received yet. */
  start(endpoint: EventEndpointRecord): void
  /** Sends each endpoint the events that it has not received yet. */
  startAll(): void
  /** Sends one event without retries, and adds the attempt to the endpoint's log. */
  send(endpoint: EventEndpointRecord, event: PushedEvent): Promise<EventAttempt>
  /** Sets the receiver for all endpoints. Without a receiver, endpoints accept every event. */
  setReceiver(receiver: PushReceiver | undefined): void
  /** Resolves once every active endpoint with a URL has received its events or been disabled. */
  delivered(): Promise<void>
  /** Removes the receiver, and ignores the results of requests in progress. */
  clear(): void
}

/** Maximum number of attempts in an endpoint's log. */
const maxAttempts = 100

/** An endpoint's health before its first event, and after an update or a replay. */
export const unknownEndpointHealth: EventEndpointHealth = {
  status: 'unknown',
  code: null,
  detail: null,
  since: null,
  next_attempt_at: null,
}

/**
 * Creates the sender of a mock's events. Events go to the receiver under test. Without a receiver, they are recorded as
 * accepted.
 *
 * @param realNow Returns the machine's time in milliseconds since the epoch.
 */
export const createEventPushes = (context: MockContext, realNow: () => number): EventPushes => {
  const { clock, store } = context
  let receiver: PushReceiver | undefined
  let running = new Map<string, Promise<void>>()

  const log = (endpoint: EventEndpointRecord, event: PushedEvent, result: PushResult, startedAt: number): EventAttempt => {
    const { status, failure } = result
    const attempt: EventAttempt = {
      id: context.generateId('attempt'),
      event_id: event.id,
      type: event.type,
      outcome: failure ? 'failed' : 'delivered',
      status,
      code: failure?.code ?? null,
      detail: failure?.detail ?? null,
      duration_ms: clock.now() - startedAt,
      created_at: timestamp(context, startedAt),
    }
    endpoint.attempts.push(attempt)
    if (endpoint.attempts.length > maxAttempts) endpoint.attempts.shift()
    return attempt
  }

  const setHealth = (endpoint: EventEndpointRecord, health: Omit<EventEndpointHealth, 'since'>): void => {
    const since = endpoint.health.status === health.status ? endpoint.health.since : timestamp(context)
    endpoint.health = { ...health, since }
  }

  const settle = (endpoint: EventEndpointRecord, eventId: string, { status, failure, retryAfterMs }: PushResult): void => {
    if (!failure) {
      endpoint.position = eventId
      endpoint.failures = null
      setHealth(endpoint, { ...unknownEndpointHealth, status: 'healthy' })
      return
    }
    const since = endpoint.failures?.since ?? clock.now()
    endpoint.failures = { since, count: (endpoint.failures?.count ?? 0) + 1 }
    const decision = decideMockRetry(context, {
      failure: { ...failure, kind: 'provider', retryable: status !== 410 },
      attemptNumber: endpoint.failures.count,
      elapsedMs: clock.now() - since,
      retryAfterMs,
      excessiveRetryAfter: 'ignore',
      ambiguousPolicy: 'retry',
    })
    if (!decision.retry) {
      setHealth(endpoint, { ...failure, status: 'disabled', next_attempt_at: null })
      return
    }
    setHealth(endpoint, { ...failure, status: 'failing', next_attempt_at: timestamp(context, clock.now() + decision.delayMs) })
    clock.schedule(() => start(endpoint), decision.delayMs)
  }

  const isSending = ({ id, active, url, health }: EventEndpointRecord): boolean =>
    store.eventEndpoints.has(id) && active && url !== null && health.status !== 'disabled'

  const isDue = ({ health: { next_attempt_at } }: EventEndpointRecord): boolean =>
    next_attempt_at === null || Date.parse(next_attempt_at) <= clock.now()

  /** Returns the next event to which an endpoint subscribes. Moves the endpoint's position past the skipped events. */
  const nextEvent = (endpoint: EventEndpointRecord): PushedEvent | undefined => {
    for (const { id, projectId, event } of store.events.values()) {
      if (projectId !== endpoint.projectId || id <= endpoint.position) continue
      if (endpoint.events.includes(event.type)) return event
      endpoint.position = id
    }
    return undefined
  }

  const sendAll = async (endpoint: EventEndpointRecord, to: PushReceiver, isCurrent: () => boolean): Promise<void> => {
    while (isSending(endpoint) && isDue(endpoint)) {
      const event = nextEvent(endpoint)
      if (!event) return
      const { claim } = endpoint
      const startedAt = clock.now()
      const result = await sendPush({ clock, realNow }, endpoint, event, to)
      if (!isCurrent()) return
      // The endpoint was changed or a replay was started during the request, so the result is ignored.
      if (endpoint.claim !== claim) continue
      log(endpoint, event, result, startedAt)
      settle(endpoint, event.id, result)
    }
  }

  /** Records all of an endpoint's remaining events as accepted. Used when there is no receiver. */
  const acceptAll = (endpoint: EventEndpointRecord): void => {
    for (let event = nextEvent(endpoint); event && isSending(endpoint); event = nextEvent(endpoint)) {
      log(endpoint, event, acceptedPush, clock.now())
      settle(endpoint, event.id, acceptedPush)
    }
  }

  const start = (endpoint: EventEndpointRecord): void => {
    if (running.has(endpoint.id) || !isSending(endpoint) || !isDue(endpoint)) return
    if (!receiver) {
      acceptAll(endpoint)
      return
    }
    const current = running
    const isCurrent = () => running === current
    const work = sendAll(endpoint, receiver, isCurrent).finally(() => {
      current.delete(endpoint.id)
      // An event may have been stored since `nextEvent` was last called.
      if (isCurrent() && nextEvent(endpoint)) start(endpoint)
    })
    current.set(endpoint.id, work)
  }

  const delivered = async (): Promise<void> => {
    for (;;) {
      await Promise.all(running.values())
      if (running.size > 0) continue
      const waits = [...store.eventEndpoints.values()].filter((endpoint) => isSending(endpoint) && !isDue(endpoint))
      const times = waits.map(({ health }) => Date.parse(health.next_attempt_at ?? '') - clock.now())
      if (times.length === 0) return
      await new Promise<void>((resolve) => void clock.scheduleAwaited(resolve, Math.min(...times)))
    }
  }

  const startAll = (): void => {
    for (const endpoint of store.eventEndpoints.values()) start(endpoint)
  }

  return {
    start,
    startAll,
    send: async (endpoint, event) => {
      const current = running
      const startedAt = clock.now()
      const result = receiver ? await sendPush({ clock, realNow }, endpoint, event, receiver) : acceptedPush
      if (running !== current) throw new DOMException('The mock was reset.', 'AbortError')
      return log(endpoint, event, result, startedAt)
    },
    setReceiver: (value) => {
      receiver = value
      startAll()
    },
    delivered,
    clear: () => {
      receiver = undefined
      running = new Map()
    },
  }
}
