import type { Random } from './random.ts'

/** The bytes that a client sends on one connection. */
export interface RawRequests {
  readonly bytes: Buffer
  /** The intended method of each request. Some methods are invalid. */
  readonly methods: readonly string[]
}

const methods = ['GET', 'GET', 'POST', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'CONNECT', 'QUERY', 'get', 'GE T', '']
const unknown = 'prj_01jdv3k2m8f6wbn0q4z5t7x9ya'
const targets = [
  '/v1/settings/projects',
  `/v1/settings/projects/${unknown}`,
  `/v1/settings/projects/${unknown}/flows`,
  '/v1/settings/api-keys',
  '/v1/notifications',
  '/livez',
  // Other forms of request targets (RFC 9112, section 3.2).
  'http://localhost/v1/settings/projects',
  'HTTP://user:pass@[::1]:80/v1/settings/projects?limit=1#x',
  'https://elsewhere.example/v1/notifications',
  'ftp://x/',
  'localhost:443',
  '*',
  // Encoded slashes, dots and bytes.
  '/v1/settings%2Fprojects',
  `/v1/settings/projects/${unknown}%2Fflows`,
  `/v1/settings/projects/..%2f..%2f..%2fetc%2fpasswd`,
  '/v1/settings/projects/%2e%2e/projects',
  '/v1/settings/projects/%00',
  '/v1/settings/projects/\u00e9\u00ff',
  '/v1/settings/projects?cursor=%ff&cursor=%00',
  '/v1/settings/projects#fragment',
  '/v1/settings/projects\t',
  '/v1\\settings\\projects',
  '//v1/settings/projects',
  'v1/settings/projects',
  '?limit=1',
  '',
  `/${'a/'.repeat(4_000)}`,
  `/v1/settings/projects?${'a=b&'.repeat(2_000)}`,
]
const versions = ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.1 ', 'http/1.1', '']

const validJson = '{"name":"raw request"}'

/** Returns headers that are unusual, but syntactically valid. */
const unusualHeaders = (random: Random): string =>
  random.pick([
    'Host: elsewhere.example',
    'Host:',
    'Authorization: Basic YTpi',
    'Authorization: Bearer \u00e9\u00ff\u0080',
    'Content-Type: application/json',
    'Content-Type: text/plain',
    'Content-Type: application/json; charset=\u00ff',
    'Content-Encoding: gzip, br, identity',
    'Content-Encoding: ',
    'Expect: 100-continue',
    'Expect: 200-maybe',
    'Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAAP__',
    'Connection: keep-alive, close, authorization',
    'If-Match: "a", W/"b", *',
    'If-Match: "\u00ff"',
    'If-None-Match: \u0080',
    'Idempotency-Key: \u00e9',
    `Idempotency-Key: ${'x'.repeat(300)}`,
    'X-Request-Id: \u00ff',
    'X-Forwarded-For: 1.2.3.4, ::1, x',
    'X-Forwarded-Host: elsewhere.example',
    'X-HTTP-Method-Override: DELETE',
    'Accept-Encoding: gzip;q=x, *;q=0',
    'Range: bytes=0-0, -1',
    'Origin: null',
    'Cookie: a=b; c',
    'TE: trailers, deflate',
    `X-A: ${'a'.repeat(random.pick([100, 4_000]))}`,
    Array.from({ length: 50 }, (_, index) => `X-${index}: a`).join('\r\n'),
    '__proto__: a',
    'constructor: a',
  ])

/** Returns headers that a server should reject. */
const invalidHeaders = (random: Random): string =>
  random.pick([
    'Transfer-Encoding: gzip, chunked',
    'Transfer-Encoding: identity',
    'Transfer-Encoding: chunked, chunked',
    'Transfer-Encoding : chunked',
    'Content-Length: 0',
    'Content-Length: +1',
    'Content-Length: 1, 1',
    'Content-Length: 99999999999999999999',
    'Content-Length: 0x10',
    'X-A: folded\r\n  over lines',
    'X-A: a\u0000b',
    'X-A: a\u0001b',
    'X-\u00e9: a',
    ': no name',
    'no colon',
    'X-A',
    '',
    'Host: a b',
    `X-A: ${'a'.repeat(random.pick([15_000, 70_000]))}`,
    Array.from({ length: random.pick([1_500, 3_000]) }, (_, index) => `X-${index}: a`).join('\r\n'),
  ])

const bodies = (random: Random): { header: string; body: string } => {
  const json = random.pick(['{"name":"raw request"}', '{', '', '[1]', '\u00ff\u00fe', 'a'.repeat(2_000)])
  const length = Buffer.byteLength(json, 'latin1')
  const chunked = 'Transfer-Encoding: chunked'
  const hex = length.toString(16)
  return random.pick([
    { header: `Content-Length: ${length}`, body: json },
    { header: `Content-Length: ${length + 10}`, body: json },
    { header: `Content-Length: ${Math.max(0, length - 3)}`, body: json },
    { header: chunked, body: `${hex}\r\n${json}\r\n0\r\n\r\n` },
    { header: chunked, body: `${hex};name="value";x\r\n${json}\r\n0\r\nX-Trailer: a\r\n\r\n` },
    { header: chunked, body: `${hex}\r\n${json}` },
    { header: chunked, body: `${hex}\n${json}\n0\n\n` },
    { header: chunked, body: `zz\r\n${json}\r\n0\r\n\r\n` },
    { header: chunked, body: `-1\r\n${json}\r\n0\r\n\r\n` },
    { header: chunked, body: `ffffffffffffffffff\r\n${json}` },
    { header: chunked, body: `1\r\n${json}\r\n0\r\n\r\n` },
    { header: chunked, body: `${[...json].map((letter) => `1\r\n${letter}\r\n`).join('')}0\r\n\r\n` },
    { header: chunked, body: `0\r\n${'X-T: a\r\n'.repeat(3_000)}\r\n` },
    { header: chunked, body: '' },
    { header: '', body: json },
  ])
}

/**
 * Creates a generator of malformed and unusual requests. Their text is encoded in Latin-1, so that every byte can occur.
 * @param key a valid API key, so that requests get past the authentication.
 */
export const createRawRequests = (random: Random, key: string) => {
  const createRequest = (odd: (probability: number) => boolean): { text: string; method: string } => {
    const method = odd(0.3) ? random.pick(methods) : random.pick(['GET', 'POST'])
    const target = odd(0.4) ? random.pick(targets) : '/v1/settings/projects'
    const version = odd(0.1) ? random.pick(versions) : 'HTTP/1.1'
    const isPost = method === 'POST'
    const validBody = { header: `Content-Length: ${Buffer.byteLength(validJson)}`, body: validJson }
    const { header, body } = odd(isPost ? 0.5 : 0.1) ? bodies(random) : isPost ? validBody : { header: '', body: '' }
    const headers = [
      ...(odd(0.03) ? [] : ['Host: localhost']),
      ...(odd(0.1) ? [] : [`Authorization: Bearer ${key}`]),
      ...(header === '' ? [] : [header, 'Content-Type: application/json']),
    ]
    for (let more = random.below(4); more > 0; more -= 1)
      headers.splice(random.below(headers.length + 1), 0, odd(0.15) ? invalidHeaders(random) : unusualHeaders(random))
    if (odd(0.1)) headers.push(...headers)
    const lineEnd = odd(0.03) ? random.pick(['\n', '\r', '\r\r\n']) : '\r\n'
    return { text: [`${method} ${target} ${version}`, ...headers, '', body].join(lineEnd), method }
  }

  return (): RawRequests => {
    // On half of the connections, most requests are valid, so that some get past the parser.
    const isMalformed = random.chance(0.5)
    const odd = (probability: number) => random.chance(isMalformed ? probability : probability / 5)
    const parts = Array.from({ length: random.chance(0.3) ? 2 + random.below(6) : 1 }, () => createRequest(odd))
    let bytes = Buffer.from(parts.map(({ text }) => text).join(''), 'latin1')
    // Changes some of the bytes, or truncates the requests.
    for (let changes = odd(0.3) ? 1 + random.below(4) : 0; changes > 0; changes -= 1) bytes[random.below(bytes.length)] = random.below(256)
    if (odd(0.1)) bytes = bytes.subarray(0, 1 + random.below(bytes.length))
    return { bytes, methods: parts.map(({ method }) => method) }
  }
}
