import { isEventVerificationError, verifyEvent } from '@flowpost/client/events'
import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { handleEvent } from './handle-event.ts'
import { secrets } from './secrets.ts'

export const app = new Hono()

const limit = bodyLimit({ maxSize: 5_000_000, onError: (context) => context.text('The body is too large.', 413) })

app.post('/flowpost-events', limit, async (context) => {
  // The signature covers the exact bytes of the body, so do not use `context.req.json()`.
  const { headers } = context.req.raw
  await handleEvent(await verifyEvent(await context.req.arrayBuffer(), headers, secrets()))
  return context.body(null, 204)
})

// For every other error, the response is 500, so Flowpost sends the event again.
app.onError((error, context) => {
  if (isEventVerificationError(error)) return context.text(error.message, 400)
  console.error(error)
  return context.text('Internal error', 500)
})
