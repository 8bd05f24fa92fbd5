import type { FlowpostEvent } from '@flowpost/client'
import type { MockContext } from '../state/mock-context.ts'
import type { EventPushes } from './event-pushes.ts'
import type { EventReceiver, PushReceiver } from './send-push.ts'

/** A mock's stored events, and their delivery to a receiver under test. */
export interface MockEvents {
  /**
   * The stored events, oldest first. Like the server, the mock stores an event only if the project has an active event
   * endpoint that subscribes to the event's type.
   */
  readonly all: readonly FlowpostEvent[]
  /**
   * Sends events as signed requests to a receiver under test instead of to the endpoints' URLs. The order and the
   * retries are the same as on the server. Signatures contain the machine's time instead of the mock's, because
   * receivers compare it with their own clock. Until this method is called, the endpoints accept every event.
   *
   * A receiver that does not respond within 15 s on the mock's clock receives the event again. The clock stops while the
   * receiver handles a request, except in three cases:
   * - The receiver has set a timer on the mock's clock, and the timer is pending. If the receiver is a URL, or the platform
   *   has no `AsyncLocalStorage`, the mock cannot tell who set a timer. In that case, a timer of the client or the test also
   *   counts as the receiver's if it is set during the request and due within the 15 s.
   * - The receiver has worked for 2 s of real time. If the receiver then also exceeds the 15 s, the mock uses a shorter limit
   *   than 2 s for later requests, until the receiver responds to one of them.
   * - The receiver itself advances the clock.
   *
   * @param receiver A function that handles a request, or the URL of a running receiver.
   * @throws {TypeError} When `receiver` is a string but not an HTTP or HTTPS URL.
   */
  deliverTo(receiver: EventReceiver | string): void
  /**
   * Resolves once every active endpoint with a URL has received its events or been disabled. Advances the clock to each
   * retry, unless the option `time` is `manual`.
   */
  delivered(): Promise<void>
}

/** Returns a receiver that forwards requests to a URL. Like the server, it does not follow redirects. */
const forwardTo = (url: string): PushReceiver => ({
  isDetached: true,
  receive: async (request) =>
    globalThis.fetch(url, {
      method: request.method,
      headers: request.headers,
      body: await request.text(),
      redirect: 'manual',
      signal: request.signal,
    }),
})

/** Creates the public `events` property of a mock. */
export const createMockEvents = ({ store }: MockContext, pushes: EventPushes): MockEvents => ({
  get all() {
    return [...store.events.values()].map(({ event }) => event)
  },
  deliverTo: (receiver) => {
    if (typeof receiver === 'string' && !(/^https?:\/\//i.test(receiver) && URL.canParse(receiver)))
      throw new TypeError(`The receiver ${JSON.stringify(receiver)} is not a URL that starts with http:// or https://.`)
    pushes.setReceiver(typeof receiver === 'string' ? forwardTo(receiver) : { receive: receiver, isDetached: false })
  },
  delivered: pushes.delivered,
})
