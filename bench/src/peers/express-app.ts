import { timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { ZodError } from 'zod'
import { Notification } from './notification.ts'

/** The part of a peer that differs from other peers. A peer is a service that does the same work as Flowpost, for comparison. */
export interface PeerApp {
  /** The bearer token that requests must carry. */
  readonly token: string
  /** Accepts a valid notification and resolves with its id. The API then responds with 202. */
  readonly accept: (notification: Notification) => Promise<string>
}

const authenticate = (token: string): RequestHandler => {
  const expected = Buffer.from(`Bearer ${token}`)
  return (request, response, next) => {
    const given = Buffer.from(request.headers.authorization ?? '')
    if (given.length === expected.length && timingSafeEqual(given, expected)) next()
    else response.status(401).json({ error: 'Missing or unknown bearer token.' })
  }
}

const respondToError: ErrorRequestHandler = (error, _request, response, _next) => {
  if (error instanceof ZodError) response.status(422).json({ error: 'Validation failed.', issues: error.issues })
  else if (typeof error.status === 'number' && error.status < 500) response.status(error.status).json({ error: error.message })
  else {
    console.error(error)
    response.status(500).json({ error: 'Internal server error.' })
  }
}

/** A running API. */
export interface PeerServer {
  readonly port: number
  close(): void
}

/** Serves `POST /v1/notifications` with Express, without the optional headers `X-Powered-By` and `ETag`. */
export const listen = async ({ token, accept }: PeerApp): Promise<PeerServer> => {
  const app = express().disable('x-powered-by').disable('etag')
  app.post('/v1/notifications', authenticate(token), express.json({ limit: '1mb' }), async (request, response) => {
    const id = await accept(Notification.parse(request.body))
    response.status(202).json({ id, status: 'queued' })
  })
  app.use(respondToError)
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { port: (server.address() as AddressInfo).port, close }
}
