import { ApiError, bodyTooLarge, maxEmptyBodyBytes, parseJsonBody, requireEmptyBody, requireJson } from '@flowpost/contract/rules'
import type { AppRoute } from '@ts-rest/core'
import type { Request, RequestHandler } from 'express'
import { z } from 'zod'

const hasBody = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0

const maxDiscardedBytes = 16 * 1024 * 1024

/**
 * Discards the rest of a rejected body, up to a limit. Closing the connection while the client is still sending would
 * reset it, and the client would not receive the response.
 */
const discardRest = (request: Request): undefined => {
  let left = maxDiscardedBytes
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.destroy()
  })
  request.resume()
}

// The client disconnected while it was sending the body, so this is not a server error.
const truncated = (cause?: unknown) => new ApiError('invalid_json', 'The body is incomplete.', { cause })

/** Reads a body of at most `limitBytes` into memory. Returns `undefined` for a larger body. */
export const readBytes = (request: Request, limitBytes: number): Buffer | undefined | Promise<Buffer | undefined> => {
  const declared = Number(request.headers['content-length'] ?? 0)
  // A small body has usually arrived already and needs no listeners.
  if (declared <= limitBytes && declared > 0 && request.readableLength === declared) return request.read(declared) as Buffer
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>()
  if (declared > limitBytes) resolve(discardRest(request))
  else if (request.destroyed) reject(truncated())
  else {
    const chunks: Buffer[] = []
    let size = 0
    const take = (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size <= limitBytes) return
      request.off('data', take).pause()
      // The rest is discarded later, so that the response is sent first.
      setImmediate(() => discardRest(request))
      resolve(undefined)
    }
    request.on('data', take)
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, size)))
    request.on('error', (error) => reject(truncated(error)))
    // `close` is also emitted after a complete request. No error is created then, because creating one is slow.
    request.on('close', () => request.readableEnded || reject(truncated()))
  }
  return promise
}

/** Parses a request's JSON body into `request.body` if the operation accepts a body. */
export const jsonBody =
  (limitBytes: number): RequestHandler =>
  async (request, _response, next) => {
    const { tsRestRoute: route } = request as Request & { tsRestRoute: AppRoute }
    const takesBody = 'body' in route && route.body instanceof z.ZodType
    // The body of a GET or DELETE request has no meaning (RFC 9110, section 9.3.1) and is not read.
    if (!hasBody(request) || (!takesBody && route.method !== 'POST')) return next()
    if (!takesBody) {
      requireEmptyBody(await readBytes(request, maxEmptyBodyBytes))
      return next()
    }
    requireJson(request.headers['content-type'], request.headers['content-encoding'])
    const bytes = await readBytes(request, limitBytes)
    if (!bytes) throw bodyTooLarge(limitBytes)
    request.body = parseJsonBody(bytes)
    next()
  }
