import type { RequestHandler } from 'express'
import { ApiError } from '../shared/api-error.ts'

/** Refuses a request of HTTP/1.1 without a `Host`, as RFC 9112, section 3.2 demands. */
export const requireHost: RequestHandler = (request, _response, next) => {
  if (request.httpVersion === '1.1' && request.headers.host === undefined)
    throw new ApiError('malformed_header', 'A request of HTTP/1.1 must have a Host.')
  next()
}
