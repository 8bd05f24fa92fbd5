import type { RequestListener, ServerResponse } from 'node:http'

/** A listener that holds requests until it is released. */
export interface HeldRequests {
  readonly listener: RequestListener
  /** Serves the waiting requests. From then on, requests are served immediately. */
  release(): void
  /** Closes the connections of the waiting requests. Has no effect after {@link HeldRequests.release}. */
  drop(): void
}

/**
 * Holds requests until the server is ready. Some startup steps must not run if the port cannot be bound. A server therefore
 * binds the port first, and holds requests until these steps are done.
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
