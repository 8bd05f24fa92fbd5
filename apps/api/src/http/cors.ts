import type { RequestHandler } from 'express'

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const requestHeaders = 'Authorization, Content-Type, Flowpost-Settings-Digest, Idempotency-Key, If-Match, If-None-Match, X-Request-Id'
const responseHeaders =
  'ETag, Location, X-Request-Id, Idempotency-Replayed, Flowpost-Settings-Changed, Retry-After, RateLimit, RateLimit-Policy, WWW-Authenticate'
// Chromium's maximum: https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Access-Control-Max-Age
const preflightMaxAgeSeconds = 7200

/**
 * Allows pages from the given origins to call the API from a browser, and answers preflight requests.
 * `Access-Control-Allow-Credentials` is not sent, because credentials are in `Authorization`, never in cookies. Source:
 * Fetch Standard, https://fetch.spec.whatwg.org/#http-cors-protocol.
 * @param origins exact origins, such as `https://app.example.com`.
 */
export const cors = (origins: readonly string[]): RequestHandler => {
  const allowed = new Set(origins)
  return (request, response, next) => {
    if (allowed.size === 0) return next()
    // A cache must not serve the response for one origin to another.
    response.vary('Origin')
    const origin = request.get('origin')
    const isPreflight = request.method === 'OPTIONS' && request.get('access-control-request-method') !== undefined
    if (isPreflight) response.vary('Access-Control-Request-Method').vary('Access-Control-Request-Headers')
    if (origin === undefined || !allowed.has(origin)) return next()
    response.set('Access-Control-Allow-Origin', origin)
    if (!isPreflight) {
      response.set('Access-Control-Expose-Headers', responseHeaders)
      return next()
    }
    response
      .set({
        'Access-Control-Allow-Methods': methods,
        'Access-Control-Allow-Headers': requestHeaders,
        'Access-Control-Max-Age': String(preflightMaxAgeSeconds),
      })
      .status(204)
      .end()
  }
}
