import type { IncomingMessage } from 'node:http'

const responseHeaders = 'ETag, Location, X-Request-Id, Idempotency-Replayed, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate'

/** The headers that let a page of an allowed origin call the mock; none for others. */
export const corsHeaders = (incoming: IncomingMessage, origins: readonly string[]): Record<string, string> => {
  const { origin, 'access-control-request-headers': asked } = incoming.headers
  if (origin === undefined || !(origins.includes('*') || origins.includes(origin))) return {}
  const preflight = {
    'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
    'Access-Control-Allow-Headers': asked ?? '',
  }
  const isPreflight = incoming.method === 'OPTIONS'
  return {
    'Access-Control-Allow-Origin': origin,
    Vary: 'Origin',
    'Access-Control-Expose-Headers': responseHeaders,
    ...(isPreflight ? preflight : {}),
  }
}
