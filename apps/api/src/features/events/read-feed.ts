import { setTimeout as sleep } from 'node:timers/promises'
import { type EventFeed, type EventType, subscribableEventTypes } from '@flowpost/contract'
import { fillPage } from '@flowpost/contract/rules'
import type { z } from 'zod'
import type { Principal } from '../../auth/principal.ts'
import type { Queryable } from '../../database/database.ts'
import { toId } from '../../shared/ids.ts'
import type { WaitLimit } from '../../shared/wait-limit.ts'
import type { Completions, CompletionWatch } from '../delivery/completion-watch.ts'
import { getProject } from '../projects/project.queries.ts'
import { type EventSelection, hasEventsAfter, maxExaminedEvents, readEvents } from './event.queries.ts'
import { toEvent } from './event.serializer.ts'
import { userWakeKey } from './event-wakes.ts'
import { decodeFeedCursor, encodeFeedCursor } from './feed-cursor.ts'
import { type FeedPosition, feedStart } from './position.ts'

/** The dependencies of {@link createFeedReader}. */
export interface FeedReaderDeps {
  readonly database: Queryable
  /** Wakes the readers that wait for events, by key. A key is a project id or a {@link userWakeKey} value. */
  readonly wakes: Completions
  readonly limitWaits: WaitLimit
}

/** The query parameters of a feed request. */
export interface FeedQuery {
  readonly limit: number
  readonly cursor?: string | undefined
  readonly type?: EventType | undefined
  readonly project_id?: string | undefined
}

/** The options of a request that waits for an event. */
export interface FeedWait {
  /** The maximum time to wait, in milliseconds. */
  readonly waitMs: number
  /** Aborts when the client has disconnected. */
  readonly disconnected: AbortSignal
}

interface Part {
  readonly data: z.output<typeof EventFeed>['data']
  readonly end: FeedPosition
  /** The number of events of any type that the read examined, at most {@link maxExaminedEvents}. */
  readonly examined: number
}

const initialRecheckMs = 25
const maxRecheckMs = 1_000
// This pause lets other requests run while a reader skips many events whose type does not match.
const betweenFullReadsMs = 5

/**
 * Creates a feed reader. The reader returns at once if there are events or if `wait` is `undefined`. Otherwise, it
 * waits until there is an event, the time is up, the client disconnects or the server stops. The reader rejects with
 * the ApiError `not_found` or `invalid_cursor`, or with `rate_limited` if the credential has too many waiting requests.
 */
export const createFeedReader = ({ database, wakes, limitWaits }: FeedReaderDeps) => {
  const readPart = async (owner: EventSelection['owner'], { limit, type }: FeedQuery, after: FeedPosition): Promise<Part> => {
    const types = type === undefined ? subscribableEventTypes : [type]
    const rows = await readEvents(database, { owner, types, after, limit: type === undefined ? limit : maxExaminedEvents })
    const matching = rows.filter(({ data }) => data !== null)
    const data = fillPage(matching.slice(0, limit), toEvent)
    const last = data.length < matching.length ? matching[data.length - 1] : rows.at(-1)
    return { data, end: last ?? after, examined: rows.length }
  }

  /** Keeps reading until there are events, the time is up, the client disconnects or the server stops. */
  const waitForEvents = async (
    watch: CompletionWatch,
    { waitMs, disconnected }: FeedWait,
    owner: EventSelection['owner'],
    query: FeedQuery,
    first: Part,
  ): Promise<Part> => {
    const deadlineMs = performance.now() + waitMs
    let part = first
    for (let recheckMs = initialRecheckMs; ; ) {
      const remainingMs = deadlineMs - performance.now()
      if (remainingMs <= 0 || disconnected.aborted || wakes.stopped()) return part
      if (part.examined > 0) {
        // If the read examined the maximum number of events, the pause is short, because more events can probably be read at
        // once. Otherwise, the pause is longer, so that the next read examines the events of several transactions.
        const pauseMs = part.examined === maxExaminedEvents ? betweenFullReadsMs : initialRecheckMs
        await sleep(Math.min(pauseMs, remainingMs))
        recheckMs = initialRecheckMs
      } else if (await hasEventsAfter(database, owner, part.end)) {
        // New events exist, but must not be read while an older transaction is open, because it may store events that come before
        // them. Nothing announces the end of that transaction, so the reader tries again after a pause.
        await sleep(Math.min(recheckMs, remainingMs))
        recheckMs = Math.min(2 * recheckMs, maxRecheckMs)
      } else {
        await watch.next(remainingMs)
        recheckMs = initialRecheckMs
      }
      part = await readPart(owner, query, part.end)
      if (part.data.length > 0) return part
    }
  }

  return async (principal: Principal, query: FeedQuery, wait: FeedWait | undefined): Promise<z.output<typeof EventFeed>> => {
    const boundId = principal.projectId === undefined ? undefined : toId('project', principal.projectId)
    const requestedId = query.project_id ?? boundId
    const filters = { user_id: principal.userId, project_id: requestedId, type: query.type }
    const start = query.cursor === undefined ? feedStart : decodeFeedCursor(filters, query.cursor)
    const project = requestedId === undefined ? undefined : await getProject(database, principal, requestedId)
    const owner = project ? { projectId: project.id } : { userId: principal.userId }
    const toFeed = ({ data, end }: Part) => ({ data, cursor: encodeFeedCursor(filters, end) })
    if (wait === undefined) return toFeed(await readPart(owner, query, start))

    // The watch starts before the first read, so that it notices events that are stored during or after that read.
    const watch = wakes.watch(project ? project.id : userWakeKey(principal.userId))
    const { disconnected } = wait
    if (disconnected.aborted) watch.stop()
    disconnected.addEventListener('abort', watch.stop)
    try {
      const first = await readPart(owner, query, start)
      if (first.data.length > 0) return toFeed(first)
      return toFeed(await limitWaits(principal.rateLimitKey, () => waitForEvents(watch, wait, owner, query, first)))
    } finally {
      disconnected.removeEventListener('abort', watch.stop)
      watch.stop()
    }
  }
}
