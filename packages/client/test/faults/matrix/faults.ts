import {
  type Behavior,
  brokenBodyOf,
  endlessBody,
  gibberish,
  json,
  problem,
  reset,
  silence,
  stalledBody,
  text,
  trickle,
} from '../../support/hostile-server.ts'

/** A way in which a server can fail a request, and the client's expected reaction. */
export interface Fault {
  readonly name: string
  readonly behavior: Behavior
  /** The code and the status of the error. */
  readonly code: string
  readonly status: number | undefined
  /**
   * Which operations the client retries after the fault. `if safe` means only operations that are safe to repeat. `always` is
   * for responses that show that the server has not processed the request.
   */
  readonly retried: 'never' | 'if safe' | 'always'
  /** The delay that the server requests, in milliseconds. */
  readonly retryAfterMs?: number
  /** Where the response hangs until the attempt times out. */
  readonly hangs?: 'before the response' | 'in the body'
  /** The HTTP methods for which the response is valid. */
  readonly validFor?: readonly string[]
}

const rejected = (status: number, code: string, fields: object = {}, lie = ''): Fault => ({
  name: `${status} ${code}${lie}`,
  behavior: problem(status, code, {}, fields),
  code,
  status,
  retried: 'never',
})

const foreign = (name: string, status: number, behavior: Behavior): Fault => ({
  name,
  behavior,
  code: 'unexpected_response',
  status,
  retried: 'never',
})

const issues = Array.from({ length: 1_000 }, () => ({ in: 'body', pointer: '/name', code: 'too_long', message: 'Too long.' }))

const permanent: Fault[] = [
  rejected(400, 'invalid_json'),
  rejected(401, 'unauthenticated'),
  rejected(403, 'scope_missing'),
  rejected(404, 'not_found'),
  rejected(405, 'method_not_allowed'),
  rejected(409, 'project_name_taken'),
  rejected(412, 'etag_mismatch'),
  rejected(413, 'body_too_large'),
  rejected(415, 'unsupported_media_type'),
  rejected(422, 'validation_failed', { errors: issues }, ' with 1,000 issues'),
  rejected(400, 'unavailable'),
  rejected(401, 'internal'),
  rejected(403, 'rate_limited'),
  rejected(404, 'idempotency_in_progress'),
  rejected(409, 'connection_failed'),
  rejected(422, 'timeout'),
  rejected(400, 'invalid_json', { status: 503 }, ' that claims to be a 503'),
  foreign('an HTML 404', 404, text(404, '<html>')),
  foreign('an empty 403', 403, text(403, '')),
  foreign(
    'an endless 404',
    404,
    endlessBody(404, () => {}),
  ),
  foreign('an empty 200', 200, text(200, '')),
  foreign('an HTML 200', 200, text(200, '<html>')),
  foreign('half a JSON document', 200, text(200, '{"data": [')),
  foreign('an array', 200, json(200, [])),
  foreign('a null', 200, json(200, null)),
  foreign('a very deeply nested array', 200, text(200, '['.repeat(100_000) + ']'.repeat(100_000))),
  { ...foreign('a 204', 204, (response) => response.writeHead(204).end()), validFor: ['DELETE'] },
  foreign('a 304', 304, (response) => response.writeHead(304).end()),
  ...[301, 302, 303, 307, 308].map((status) => foreign(`a ${status}`, status, text(status, '', { location: '/login' }))),
  foreign(
    'a redirect with an endless body',
    302,
    endlessBody(302, () => {}),
  ),
  foreign('a redirect with a stalled body', 307, stalledBody(307, { location: 'https://login.example.com/' })),
  { ...rejected(429, 'rate_limited', {}, ' for an hour'), behavior: problem(429, 'rate_limited', { 'retry-after': '3600' }) },
  { ...rejected(503, 'unavailable', {}, ' for an hour'), behavior: problem(503, 'unavailable', { 'retry-after': '3600' }) },
  { name: 'a 404 that breaks off', behavior: brokenBodyOf(404), code: 'connection_failed', status: 404, retried: 'never' },
]

const transient: Fault[] = [
  { ...rejected(408, 'request_timeout'), retried: 'always' },
  { ...rejected(409, 'idempotency_in_progress'), retried: 'if safe' },
  { ...rejected(425, 'too_early'), retried: 'always' },
  { ...rejected(429, 'rate_limited'), retried: 'always' },
  { ...rejected(429, 'not_found', {}, ' that claims to be permanent'), retried: 'always' },
  {
    ...rejected(429, 'rate_limited', {}, ' for a second'),
    behavior: problem(429, 'rate_limited', { 'retry-after': '1' }),
    retried: 'always',
    retryAfterMs: 1_000,
  },
  { ...rejected(500, 'internal'), retried: 'if safe' },
  { ...rejected(503, 'unavailable'), retried: 'if safe' },
  { ...rejected(503, 'validation_failed', { status: 422 }, ' that claims to be permanent'), retried: 'if safe' },
  {
    ...rejected(503, 'queue_full', {}, ' for a second'),
    behavior: problem(503, 'queue_full', { 'retry-after': '1' }),
    retried: 'if safe',
    retryAfterMs: 1_000,
  },
  { ...foreign('an HTML 502', 502, text(502, '<html>')), retried: 'if safe' },
  { ...foreign('an empty 504', 504, text(504, '')), retried: 'if safe' },
  {
    ...foreign(
      'an endless 502',
      502,
      endlessBody(502, () => {}),
    ),
    retried: 'if safe',
  },
]

const brokenConnection: Fault[] = (
  [
    { name: 'a reset', behavior: reset, status: undefined },
    { name: 'a response that is not HTTP', behavior: gibberish, status: undefined },
    { name: 'a 200 that breaks off', behavior: brokenBodyOf(200), status: 200 },
    { name: 'a 503 that breaks off', behavior: brokenBodyOf(503), status: 503 },
    { name: 'no response', behavior: silence, status: undefined, hangs: 'before the response' },
    { name: 'a 200 that stalls', behavior: stalledBody(200), status: 200, hangs: 'in the body' },
    { name: 'a 503 that stalls', behavior: stalledBody(503), status: 503, hangs: 'in the body' },
    { name: 'a 200 that never ends', behavior: trickle, status: 200, hangs: 'in the body' },
  ] as const
).map((fault) => ({ ...fault, code: 'connection_failed', retried: 'if safe' }))

/** Every fault. */
export const faults: readonly Fault[] = [
  ...permanent,
  ...transient,
  ...brokenConnection,
  { name: 'a 404 that stalls', behavior: stalledBody(404), code: 'connection_failed', status: 404, hangs: 'in the body', retried: 'never' },
  {
    name: 'a 429 that stalls',
    behavior: stalledBody(429),
    code: 'connection_failed',
    status: 429,
    hangs: 'in the body',
    retried: 'always',
  },
]
