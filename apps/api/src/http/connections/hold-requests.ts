import type { RequestListener, ServerResponse } from 'node:http'

/** A listener whose requests wait until it is released. */
export interface HeldRequests {
  readonly listener: RequestListener
  /** Serves the requests that are waiting, and all later ones at once. */
  release(): void
  /** Closes the connections of the requests that are waiting. Does nothing after {@link HeldRequests.release}. */
  drop(): void
}

/**
 * Holds requests back. A server can then bind its port, the last step of its start that may fail, before it does what a
 * failed start must not have done.
 */
export const holdRequests = (listener: RequestListener): HeldRequests => {
  const waiting = new Map<ServerResponse, () => void>()
  let isReleased = false
  return {
    listener: (request, response) => {
      if (isReleased) {
        listener(request, response)
        return
      }
      waiting.set(response, () => listener(request, response))
      response.once('close', () => waiting.delete(response))
    },
    release: () => {
      isReleased = true
      for (const serve of waiting.values()) serve()
      waiting.clear()
    },
    drop: () => {
      for (const { socket } of waiting.keys()) socket?.destroy()
    },
  }
}
