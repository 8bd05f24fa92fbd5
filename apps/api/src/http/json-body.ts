import { ApiError, bodyTooLarge, maxEmptyBodyBytes, parseJsonBody, requireEmptyBody, requireJson } from '@flowpost/contract/rules'
import type { AppRoute } from '@ts-rest/core'
import type { Request, RequestHandler } from 'express'
import { z } from 'zod'

const hasBody = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0

const mostDiscardedBytes = 16 * 1024 * 1024

/**
 * Lets the rest of a body that is refused go by, within bounds. A connection that is closed while its
 * client still sends is reset, and the client would never see why.
 */
const discardRest = (request: Request): undefined => {
  let left = mostDiscardedBytes
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) request.destroy()
  })
  request.resume()
}

// The client has left: nobody reads the answer, and it is not the server's fault.
const cutShort = (cause?: unknown) => new ApiError('invalid_json', 'The body ended before it was whole.', { cause })

/** Reads at most `limitBytes`, and no more than that into memory; `undefined` when there are more. */
const readBytes = (request: Request, limitBytes: number): Buffer | undefined | Promise<Buffer | undefined> => {
  const declared = Number(request.headers['content-length'] ?? 0)
  // A small body has mostly come by now, and needs nobody who waits for it.
  if (declared <= limitBytes && declared > 0 && request.readableLength === declared) return request.read(declared) as Buffer
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>()
  if (declared > limitBytes) resolve(discardRest(request))
  else if (request.destroyed) reject(cutShort())
  else {
    const chunks: Buffer[] = []
    let size = 0
    const take = (chunk: Buffer) => {
      size += chunk.length
      chunks.push(chunk)
      if (size <= limitBytes) return
      request.off('data', take).pause()
      // The answer is made first.
      setImmediate(() => discardRest(request))
      resolve(undefined)
    }
    request.on('data', take)
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, size)))
    request.on('error', (error) => reject(cutShort(error)))
    // After the end of every request too; an error that nobody sees would cost its stack.
    request.on('close', () => request.readableEnded || reject(cutShort()))
  }
  return promise
}

/** Reads the JSON body of a request, if it has one and its operation takes one, into `request.body`. */
export const jsonBody =
  (limitBytes: number): RequestHandler =>
  async (request, _response, next) => {
    const { tsRestRoute: route } = request as Request & { tsRestRoute: AppRoute }
    const takesBody = 'body' in route && route.body instanceof z.ZodType
    // A body of GET and DELETE means nothing (RFC 9110, section 9.3.1), so it is not even read.
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
