import { isEventVerificationError, verifyEvent } from '@flowpost/client/events'
import { Hono } from 'hono'
import { handleEvent } from './handle-event.ts'
import { secrets } from './secrets.ts'

export const app = new Hono()

app.post('/flowpost-events', async (context) => {
  // The signature covers the exact bytes of the body, so do not use `context.req.json()`.
  const { headers } = context.req.raw
  await handleEvent(await verifyEvent(await context.req.arrayBuffer(), headers, secrets()))
  return context.body(null, 204)
})

// Every other error responds with 500, so Flowpost sends the event again.
app.onError((error, context) => {
  if (isEventVerificationError(error)) return context.text(error.message, 400)
  console.error(error)
  return context.text('Internal error', 500)
})
