import { routes } from './generated/routes.ts'

// The routes are imported first, because the bundle is smallest when it begins with them.

import { createCallRunner } from './calls/call-runner.ts'
import { parseConfig } from './config.ts'
import { createFollowing, type EventFollowing } from './follow-events.ts'
import type { EventsOperations, Operations } from './generated/operations.ts'
import type { NotificationMethods } from './known-projects.ts'
import { createOperations } from './operations.ts'
import type { FlowpostOptions } from './options.ts'
import { createSendMany } from './send-many.ts'

/** A Flowpost client. Create one per server and credential, and reuse it. It holds no connections, so you need not close it. */
export interface Flowpost extends Omit<Operations, 'notifications' | 'events'> {
  /** The operations on notifications. */
  readonly notifications: NotificationMethods
  /** The operations on events. */
  readonly events: EventsOperations & EventFollowing

  /** Aborts every call in flight with an `AbortError` and rejects new calls. */
  [Symbol.dispose](): void
  /** Disposes the client and resolves when every call has ended. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Creates a client.
 *
 * @throws {TypeError} When an option is missing or invalid, or in a browser without `dangerouslyAllowBrowser`.
 */
export const createFlowpost = (options: FlowpostOptions = {}): Flowpost => {
  const config = parseConfig(options)
  const { run, abort, idle } = createCallRunner(config)
  const operations = createOperations(routes, config, run) as Operations
  return {
    ...operations,
    notifications: { ...operations.notifications, sendMany: createSendMany(config, run) },
    events: { ...operations.events, ...createFollowing(routes.events.list, run) },
    [Symbol.dispose]: abort,
    [Symbol.asyncDispose]: async () => {
      abort()
      await idle()
    },
  }
}
