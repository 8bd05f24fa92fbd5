import type { RequestHandler } from 'express'
import { ApiError } from '../shared/api-error.ts'

/**
 * The security headers of every response, as recommended by the OWASP REST Security Cheat Sheet, section "Security
 * Headers". Pages set their own Content-Security-Policy.
 */
export const securityHeaderValues = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const

const headers = Object.entries(securityHeaderValues)

/** Sets the {@link securityHeaderValues} on every response. */
export const securityHeaders: RequestHandler = (_request, response, next) => {
  for (const [name, value] of headers) response.setHeader(name, value)
  next()
}

/** Rejects HTTP/1.1 requests without a `Host` header, as RFC 9112, section 3.2 requires. */
export const requireHost: RequestHandler = (request, _response, next) => {
  if (request.httpVersion === '1.1' && request.headers.host === undefined)
    throw new ApiError('malformed_header', 'An HTTP/1.1 request must have a Host header.')
  next()
}
