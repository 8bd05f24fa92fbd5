const inbound = /^(\/v1\/inbound\/[^/]*\/).+/i

/** Returns a URL's path for logs and traces: without the query, and without the secret in an inbound address. */
export const loggedPath = (url: string): string => (url.split('?', 1)[0] ?? '').replace(inbound, '$1***')
