import type { Flowpost } from '@flowpost/client'
import { handleEvent } from './handle-event.ts'

/** Stores the consumer's position in the feed, for example in a row of its database. */
export interface Position {
  load(): Promise<string | undefined>
  save(cursor: string | undefined): Promise<void>
}

/** Handles events until the signal aborts. */
export const followEvents = async (flowpost: Flowpost, position: Position, signal: AbortSignal): Promise<void> => {
  const stream = flowpost.events.follow({ cursor: await position.load(), signal })
  try {
    for await (const event of stream) {
      await handleEvent(event)
      await position.save(stream.cursor)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
