import { isEventVerificationError, verifyEvent } from '@flowpost/client/events'
import express from 'express'
import { handleEvent } from './handle-event.ts'
import { secrets } from './secrets.ts'

export const app = express()

// Register this route before `app.use(express.json())`. The signature covers the exact bytes of the body, and `express.json()`
// does not keep these bytes.
app.post('/flowpost-events', express.raw({ type: () => true, limit: '5mb' }), async (request, response) => {
  try {
    await handleEvent(await verifyEvent(request.body, request.headers, secrets()))
    response.sendStatus(204)
  } catch (error) {
    // If `handleEvent` failed, its error is thrown again. Express responds with 500, and Flowpost sends the event again.
    if (!isEventVerificationError(error)) throw error
    response.status(400).send(error.message)
  }
})
