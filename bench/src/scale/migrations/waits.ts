import { setTimeout as sleep } from 'node:timers/promises'

/** The time that one message took. */
export interface Wait {
  readonly startedMs: number
  readonly endedMs: number
}

/** A load of messages. Several concurrent loops each send one message after the other. */
export interface MessageLoad {
  readonly waits: readonly Wait[]
  /** Ends the load when the messages in progress are finished. @throws Error if a message failed. */
  stop(): Promise<void>
}

/** The pause of each loop between two messages, in milliseconds. */
const pauseMs = 20

/** Starts one loop for each of the senders, and records how long each message takes. */
export const startMessageLoad = (senders: readonly (() => Promise<unknown>)[]): MessageLoad => {
  const waits: Wait[] = []
  let stopped = false
  const loops = senders.map(async (send) => {
    while (!stopped) {
      const startedMs = performance.now()
      await send()
      waits.push({ startedMs, endedMs: performance.now() })
      await sleep(pauseMs)
    }
  })
  const ended = Promise.all(loops)
  // `stop` reports the failure.
  ended.catch(() => {})
  return {
    waits,
    stop: async () => {
      stopped = true
      await ended
    },
  }
}

/**
 * Returns the longest time that a message took, in milliseconds. Includes every message that was in progress at any time
 * between two instants.
 */
export const maxWait = (waits: readonly Wait[], fromMs: number, toMs: number): number =>
  waits
    .filter(({ startedMs, endedMs }) => startedMs < toMs && endedMs > fromMs)
    .reduce((max, wait) => Math.max(max, wait.endedMs - wait.startedMs), 0)
