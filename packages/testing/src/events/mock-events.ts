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
   * A receiver that does not respond within 15 s on the mock's clock receives the event again. While the receiver
   * works, the clock stops for at most 2 s of real time (less after earlier timeouts). If the receiver is a URL, the mock
   * cannot tell which timers on its clock the receiver is waiting for. The clock then still advances to every timer that
   * is set during the request and due within the 15 s.
   *
   * @param receiver A function that handles a request, or the URL of a running receiver.
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
  deliverTo: (receiver) =>
    pushes.setReceiver(typeof receiver === 'string' ? forwardTo(receiver) : { receive: receiver, isDetached: false }),
  delivered: pushes.delivered,
})
