import type { FlowpostEvent } from '@flowpost/client'
import type { MockContext } from '../state/mock-context.ts'
import type { EventPushes, EventReceiver } from './event-pushes.ts'

/** The events of a mock. */
export interface MockEvents {
  /**
   * The stored events, oldest first. Like the server, the mock stores an event only if an active event endpoint of the project
   * subscribes to its type.
   */
  readonly all: readonly FlowpostEvent[]
  /**
   * Sends signed requests to a receiver under test, in place of the URLs of the event endpoints: in order, and with the retries
   * of the server. Without a receiver, the endpoints accept every event.
   *
   * @param receiver A function that handles a request, or the URL of a receiver that listens.
   */
  deliverTo(receiver: EventReceiver | string): void
  /**
   * Resolves when every active endpoint with a URL has received its events, or is disabled. The time advances to the retries of
   * failed requests, unless it is manual.
   */
  delivered(): Promise<void>
}

const forwardTo =
  (url: string): EventReceiver =>
  async (request) =>
    globalThis.fetch(url, { method: request.method, headers: request.headers, body: await request.text() })

/** Creates the events of a mock. */
export const createMockEvents = ({ store }: MockContext, pushes: EventPushes): MockEvents => ({
  get all() {
    return [...store.events.values()].map(({ event }) => event)
  },
  deliverTo: (receiver) => pushes.setReceiver(typeof receiver === 'string' ? forwardTo(receiver) : receiver),
  delivered: pushes.delivered,
})
