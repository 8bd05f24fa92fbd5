import { signEvent } from '@flowpost/client/events'
import type { PushedEvent } from '../state/api-types.ts'
import type { InternalClock } from '../state/mock-clock.ts'
import { maxResponseMs } from '../state/running-callbacks.ts'
import type { EventEndpointRecord } from '../state/store.ts'

/**
 * A handler for the requests that the mock sends to event endpoints, such as the `fetch` handler of a worker or a Hono
 * app.
 */
export type EventReceiver = (request: Request) => Response | Promise<Response>

/** A receiver under test. */
export interface PushReceiver {
  readonly receive: EventReceiver
  /**
   * Whether `receive` only forwards each request to a server. If so, the server's code runs outside `receive`, and the mock
   * cannot tell which timers on its clock the server has set.
   */
  readonly isDetached: boolean
}

/** The result of one request to an event endpoint. */
export interface PushResult {
  /** The HTTP status; `null` if the receiver threw an error or did not respond in time. */
  readonly status: number | null
  readonly failure: { readonly code: string; readonly detail: string } | null
  /** The delay from the response header `Retry-After`, in milliseconds. */
  readonly retryAfterMs?: number | undefined
}

/** The dependencies of {@link sendPush}. */
export interface SendPushDeps {
  readonly clock: InternalClock
  /** Returns the machine's time in milliseconds since the epoch. Signatures contain this time. */
  readonly realNow: () => number
}

/** The result for an endpoint that accepts an event. */
export const acceptedPush: PushResult = { status: 200, failure: null }

const maxRetryAfterMs = 7 * 24 * 3_600_000

/** Parses `Retry-After` as seconds or a date (RFC 9110, section 10.2.3). Returns the delay in milliseconds, at most 7 days. */
const parseRetryAfter = (value: string | null, now: number): number | undefined => {
  if (value === null) return undefined
  const delayMs = /^\d+(?:\.\d+)?$/.test(value.trim()) ? Number(value) * 1_000 : Date.parse(value) - now
  return Number.isFinite(delayMs) ? Math.min(Math.max(Math.ceil(delayMs), 0), maxRetryAfterMs) : undefined
}

const toResult = ({ status, headers }: Response, now: number): PushResult =>
  status >= 200 && status <= 299
    ? { status, failure: null }
    : {
        status,
        failure: { code: `http_${status}`, detail: `The endpoint returned ${status}.` },
        retryAfterMs: parseRetryAfter(headers.get('retry-after'), now),
      }

/** Returns an endpoint's valid secrets, newest first. */
const secretsOf = ({ secret, previousSecret }: EventEndpointRecord, now: number): string[] =>
  previousSecret && previousSecret.until > now ? [secret, previousSecret.secret] : [secret]

const timedOut: PushResult = {
  status: null,
  failure: { code: 'timed_out', detail: `No response within ${maxResponseMs} ms. The message may have been accepted.` },
}

/** Passes a request to a receiver. If the receiver does not respond in time, aborts the request and resolves to `undefined`. */
const receiveInTime = (clock: InternalClock, receiver: PushReceiver, url: string, init: RequestInit): Promise<Response | undefined> =>
  new Promise((resolve, reject) => {
    const controller = new AbortController()
    const request = new Request(url, { ...init, signal: controller.signal })
    const stopLimit = clock.scheduleLimit(() => {
      resolve(undefined)
      controller.abort(new DOMException('The receiver did not respond within 15 s.', 'TimeoutError'))
    }, maxResponseMs)
    clock
      .runCallback(() => receiver.receive(request), receiver)
      .finally(stopLimit)
      .then(resolve, reject)
  })

/** Sends an event to a receiver as one signed request. Reports failures in the result. */
export const sendPush = async (
  { clock, realNow }: SendPushDeps,
  endpoint: EventEndpointRecord,
  event: PushedEvent,
  receiver: PushReceiver,
): Promise<PushResult> => {
  const done = clock.markBusy()
  try {
    const body = JSON.stringify(event)
    // Signs with the machine's time. A receiver does not know the mock's clock, and rejects signatures that are too old or in the
    // future.
    const signed = await signEvent(body, { id: event.id, secret: secretsOf(endpoint, clock.now()), now: realNow() })
    const init = { method: 'POST', headers: { ...signed, 'user-agent': 'Flowpost' }, body }
    const receiving = receiveInTime(clock, receiver, endpoint.url ?? '', init)
    done()
    const response = await receiving
    return response ? toResult(response, realNow()) : timedOut
  } catch (error) {
    return { status: null, failure: { code: 'connection_failed', detail: `The endpoint did not respond: ${String(error)}` } }
  } finally {
    done()
  }
}
