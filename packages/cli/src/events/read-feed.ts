import type { EventListParams, Flowpost } from '@flowpost/client'
import type { FlowpostEvent } from '@flowpost/client/events'
import type { CommandContext } from '../command-context.ts'
import { toSafeLine } from '../output/terminal-text.ts'
import { openCursor } from './cursor-file.ts'
import { type EventFilters, readEventQuery, requireStoredEvents } from './event-filters.ts'

/** Handles an event from the feed. Returns whether to continue. */
export type EventHandler = (event: FlowpostEvent, cursor: string | undefined) => Promise<boolean>

/**
 * Returns the position after the newest event. Pages through the whole feed, because this machine's clock cannot tell
 * which events are new: it may differ from the server's.
 */
const findEnd = async (flowpost: Flowpost, query: EventListParams, signal: AbortSignal): Promise<string> => {
  let cursor: string | undefined
  for (;;) {
    const page = await flowpost.events.list({ ...query, cursor, limit: 1000 }, { signal })
    if (page.data.length === 0 && page.cursor === cursor) return page.cursor
    cursor = page.cursor
  }
}

/**
 * Passes the feed's events to a handler, one at a time, until the handler returns `false` or the user presses Ctrl-C.
 * Stores the position in the cursor file after skipping existing events, and after each event. If there is no cursor file,
 * prints the position after the last handled event when the run ends.
 *
 * @param startsNow Whether to skip the events that already exist. Has no effect if a cursor is given or stored, or if
 * `filters.since` is set.
 */
export const readFeed = async (
  { connect, io, output, waitBeforeExit }: CommandContext,
  filters: EventFilters,
  startsNow: boolean,
  handle: EventHandler,
): Promise<void> => {
  const position = await openCursor(filters, io.workingFolder)
  const { flowpost } = await connect()
  const query = await readEventQuery(flowpost, filters)
  await requireStoredEvents(flowpost, query.project_id, { store: filters.store === true, output, signal: io.signal })
  const { since } = filters
  const isNew = startsNow && position.start === undefined && since === undefined
  const start = isNew ? await findEnd(flowpost, query, io.signal) : position.start
  // Saves the start at once. Otherwise, a run that receives no event would store no position, and the next run would skip the
  // events that are created between the two runs.
  if (isNew) await position.save(start)
  const stream = flowpost.events.follow({ ...query, cursor: start, signal: io.signal })
  const follow = async () => {
    // While an event is being handled, `stream.cursor` is already after it. A run that continues from there would skip the event.
    let handled = start
    let isHandling = false
    try {
      for await (const event of stream) {
        isHandling = true
        const isIncluded = since === undefined || Date.parse(event.created_at) >= Date.parse(since)
        const isLast = isIncluded && !(await handle(event, stream.cursor))
        await position.save(stream.cursor)
        handled = stream.cursor
        isHandling = false
        if (isLast) return
      }
    } finally {
      const cursor = isHandling ? handled : stream.cursor
      if (cursor !== undefined && filters.cursorFile === undefined) output.note(`To continue from here: --cursor ${toSafeLine(cursor)}`)
    }
  }
  const work = follow()
  waitBeforeExit(work)
  await work
}
