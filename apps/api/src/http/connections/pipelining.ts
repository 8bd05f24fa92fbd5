import { AsyncResource } from 'node:async_hooks'
import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'

/** The maximum number of requests that wait for earlier ones on the same connection. */
export const maxWaiting = 16

/**
 * Returns a listener that passes the requests of a connection to `app` one at a time: each after the kernel has received
 * the whole response to the previous one. A client could otherwise fill the memory by pipelining requests without reading
 * the responses. Destroys connections on which more than {@link maxWaiting} requests wait.
 */
export const oneAtATime = (app: RequestListener): RequestListener => {
  const waiting = new WeakMap<Socket, number>()
  return (request, response) => {
    // Node assigns the socket to one response at a time, so this is the only check for clients that do not pipeline.
    if (response.socket) return app(request, response)
    const { socket } = request
    const count = (waiting.get(socket) ?? 0) + 1
    // Node parses up to 64 KiB of requests at once, which are several MB of objects. It continues after `destroy`, but does not keep
    // these objects.
    if (count > maxWaiting) return void socket.destroy()
    waiting.set(socket, count)
    // Without `AsyncResource`, the request would run in the asynchronous context of the previous one.
    const start = AsyncResource.bind(() => {
      waiting.set(socket, (waiting.get(socket) ?? 0) - 1)
      if (socket.writable) app(request, response)
    })
    // Node emits `socket` when the previous response is finished. The requests of a closed connection get no turn.
    response.once('socket', start)
  }
}
