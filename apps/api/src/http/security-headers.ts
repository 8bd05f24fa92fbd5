import type { RequestHandler } from 'express'

/**
 * The headers that an API of JSON wants on every answer. Pages set their own Content-Security-Policy.
 * Source: OWASP REST Security Cheat Sheet, security headers.
 */
export const securityHeaderValues = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const

const headers = Object.entries(securityHeaderValues)

/** Sets {@link securityHeaderValues}. */
export const securityHeaders: RequestHandler = (_request, response, next) => {
  for (const [name, value] of headers) response.setHeader(name, value)
  next()
}
