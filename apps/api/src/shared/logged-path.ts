// In a request to a proxy, the URL also has a scheme and a host (RFC 9112, section 3.2.2).
const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i
const inbound = /^(\/v1\/inbound\/[^/]*\/).+/i
// Matches a secret anywhere in a path. `inbound` matches only at the start of the path, so it misses the secret in
// `//v1/inbound/…` and in a path to which a proxy has added a prefix.
const inboundToken = /fpi(?:_|%5f)[^/]*/gi

/**
 * Returns a URL's path for logs and traces. Omits the origin and the query, and redacts the secret in `/v1/inbound/…`.
 */
export const loggedPath = (url: string): string =>
  (url.split('?', 1)[0] ?? '').replace(origin, '').replace(inbound, '$1***').replaceAll(inboundToken, '***')
