import type { Response } from 'express'

/** Returns a signal that aborts when the client disconnects or the response has been sent. */
export const disconnectionOf = (res: Response): AbortSignal => {
  const controller = new AbortController()
  // `close` is not emitted again if the client disconnected earlier, for example during authentication.
  if (res.closed) controller.abort()
  else res.once('close', () => controller.abort())
  return controller.signal
}
