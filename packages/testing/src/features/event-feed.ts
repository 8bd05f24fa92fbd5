import { fillPage } from '@flowpost/contract/rules'
import type { EventLog } from '../events/event-log.ts'
import { reverifyKey } from '../http/authenticate.ts'
import type { Handlers } from '../http/handler.ts'
import { encodeCursor, readCursor } from '../http/pagination.ts'
import type { Event } from '../state/api-types.ts'
import type { MockContext } from '../state/mock-context.ts'
import { findProject } from './projects.ts'

/** The position before the first event. */
const feedStart = '0'

/** Creates the handler of the event feed. */
export const createEventFeed = (context: MockContext, log: EventLog): Handlers<'events'> => {
  const { clock, store } = context

  /**
   * Returns `false` if any delivery is being sent or waiting for a retry. Otherwise returns `true`, because no event is
   * expected. While the result is `true`, the clock does not skip automatically to the end of a client's wait for events. See
   * `InternalClock.scheduleUnexpected`.
   */
  const isIdle = (): boolean => {
    for (const { deliveries } of store.notifications.values())
      if (deliveries.some(({ status }) => status === 'retrying' || status === 'sending')) return false
    return true
  }

  /** Resolves when an event has been stored and `isFound` returns `true`, when `signal` is aborted, or after `waitMs`. */
  const waitForEvent = (waitMs: number, signal: AbortSignal, isFound: () => boolean) =>
    new Promise<void>((resolve) => {
      const end = () => {
        stopListening()
        stopTimer()
        resolve()
      }
      const stopListening = log.onEvent(() => {
        if (isFound()) end()
      })
      const stopTimer = clock.scheduleUnexpected(end, waitMs, isIdle)
      signal.addEventListener('abort', end, { once: true })
    })

  return {
    list: async ({ principal, query: { limit, cursor, wait, ...filters }, signal }) => {
      const projectId = filters.project_id ?? principal.projectId
      const binding = { type: filters.type, project_id: projectId, user_id: principal.userId }
      const after = cursor === undefined ? feedStart : readCursor('events', binding, cursor)
      if (projectId !== undefined) findProject(context, principal, projectId)
      const find = () =>
        [...store.events.values()].filter(
          ({ id, userId, projectId: own, event }) =>
            id > after &&
            userId === principal.userId &&
            (projectId === undefined || own === projectId) &&
            (filters.type === undefined || event.type === filters.type),
        )
      if (wait !== undefined && wait > 0 && find().length === 0) {
        await waitForEvent(wait * 1_000, signal, () => find().length > 0)
        reverifyKey(context, principal)
      }
      const data: Event[] = fillPage(find().slice(0, limit), ({ event }) => event)
      return { status: 200, body: { data, cursor: encodeCursor('events', binding, data.at(-1)?.id ?? after) } }
    },
  }
}
