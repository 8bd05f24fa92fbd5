import { isEventVerificationError, verifyEvent } from '@flowpost/client/events'
import { handleEvent } from './handle-event.ts'

interface Env {
  readonly FLOWPOST_EVENT_SECRET: string
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    try {
      await handleEvent(await verifyEvent(await request.arrayBuffer(), request.headers, env.FLOWPOST_EVENT_SECRET))
      return new Response(null, { status: 204 })
    } catch (error) {
      // If `handleEvent` failed, its error is thrown again. The runtime responds with 500, and Flowpost sends the event again.
      if (!isEventVerificationError(error)) throw error
      return new Response(error.message, { status: 400 })
    }
  },
}
