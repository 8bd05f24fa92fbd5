import { maxTimerMs } from './calls/call-deadline.ts'
import type { RunCall } from './calls/call-runner.ts'
import type { FlowpostError } from './errors.ts'
import type { FlowpostEvent } from './events/event-types.ts'
import type { EventFeed, EventListParams } from './generated/types.ts'
import { isRetryable } from './http/retry.ts'
import { poll } from './multi-request.ts'
import type { Route } from './route.ts'

/** Options for following the event feed. */
export interface FollowOptions extends Omit<EventListParams, 'wait'> {
  /** Stops following. The iteration rejects immediately with the abort reason. */
  readonly signal?: AbortSignal | undefined
}

/** The event feed as an endless sequence. Each `for await` loop starts at the `cursor` in the options. */
export interface EventStream extends AsyncIterable<FlowpostEvent> {
  /**
   * The position after the last event that the stream yielded. Store this cursor after you have processed the event, and
   * pass it to `follow` after a restart. Other methods do not accept this cursor.
   * If the options contain no `cursor`, the value is `undefined` until the first response.
   */
  readonly cursor: string | undefined
}

/** The method `events.follow`. */
export interface EventFollowing {
  /**
   * Yields events as they occur, oldest first, beginning after `cursor` or with the oldest stored event. Survives
   * outages of any length: it retries with backoff, and continues after the last event. The iteration ends only with an
   * error: the abort reason, or a `FlowpostError` for an invalid argument or a permanent client error (4xx).
   *
   * Calls `GET /v1/events` with `wait`. Requires the scope `notifications:read`.
   *
   * @param options The filters, the position to start at, and a signal to stop.
   * @throws {FlowpostError} The errors of `events.list`.
   */
  follow(options?: FollowOptions): EventStream
}

/** Creates the method `events.follow`. */
export const createFollowing = (route: Route, run: RunCall): EventFollowing => ({
  follow: ({ signal, cursor: start, ...filters } = {}) => {
    const stream = {
      cursor: start,
      async *[Symbol.asyncIterator]() {
        // The server returns one cursor per page. The stream's cursor for a position within a page is
        // `<cursor before the page>~<id of the last yielded event>`.
        let [cursor, lastId] = (start ?? '').split('~') as [string, string?]
        for (;;) {
          const page = (await run('events.list', { signal, maxRetries: 8 }, maxTimerMs, (context) =>
            poll(context, {
              route,
              // Only the largest page is certain to contain `lastId`, because the cursor may come from a stream with a larger
              // `limit`.
              params: { ...filters, limit: lastId ? 1000 : filters.limit, cursor: cursor || undefined },
              // During an outage, a proxy may respond with unrelated JSON. The check rejects it, so polling continues.
              isDone: ({ data, cursor: end }: EventFeed) => Array.isArray(data) && end && (data.length > 0 || end !== cursor),
              isTemporary: ({ code, status }: FlowpostError) =>
                code !== 'invalid_argument' && ((status ?? 0) < 400 || isRetryable(status, code, route)),
            }).catch((error: unknown) => {
              // After about 25 days without an event, the deadline passes. Then, the loop starts another call. The code `timeout`
              // does not identify this case, because an abort reason or an error response can contain the same code.
              if (!context.deadline.aborted()?.expired) throw error
            }),
          )) as EventFeed | undefined
          if (!page) continue
          const events = page.data.slice(page.data.findIndex(({ id }) => id === lastId) + 1)
          for (const event of events) {
            signal?.throwIfAborted()
            stream.cursor = event === events.at(-1) ? page.cursor : `${cursor}~${event.id}`
            yield event
          }
          stream.cursor = cursor = page.cursor
          lastId = undefined
        }
      },
    }
    return stream
  },
})
