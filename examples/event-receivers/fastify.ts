import { isEventVerificationError, type RawBody, verifyEvent } from '@flowpost/client/events'
import fastify from 'fastify'
import { handleEvent } from './handle-event.ts'
import { secrets } from './secrets.ts'

export const app = fastify()

app.register((scope, _options, registered) => {
  // The signature covers the exact bytes of the body. This scope therefore replaces the JSON parser. Other routes keep it.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 5_000_000 }, (_request, body, done) => done(null, body))

  scope.post<{ Body: RawBody }>('/flowpost-events', async (request, reply) => {
    try {
      await handleEvent(await verifyEvent(request.body, request.headers, secrets()))
      return reply.code(204).send()
    } catch (error) {
      // If `handleEvent` failed, its error is thrown again. Fastify responds with 500, and Flowpost sends the event again.
      if (!isEventVerificationError(error)) throw error
      return reply.code(400).send(error.message)
    }
  })
  registered()
})
