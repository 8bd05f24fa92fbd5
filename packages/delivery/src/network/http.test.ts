import { describe, expect, it, onTestFinished } from 'vitest'
import { startMockServer } from '../conformance/http-case.ts'
import { createRestrictedEgress } from './egress.ts'
import { parseApiUrl, sendRequest } from './http.ts'

const systemError = (syscall: string, code: string): Error => Object.assign(new Error(`${syscall} ${code}`), { syscall, code })

const triedAddresses = (...codes: string[]): Error =>
  Object.assign(
    new AggregateError(
      codes.map((code) => systemError('connect', code)),
      'every address failed',
    ),
    { code: codes[0] },
  )

interface SendOptions {
  readonly carriesMessage?: boolean
  readonly wasConnected?: () => boolean | undefined
  readonly fetch?: () => Promise<Response>
}

/** Sends a message with a `fetch` that by default rejects like Node's, and returns the error. */
const errorAfter = async (
  cause: Error,
  { carriesMessage = true, ...options }: SendOptions = {},
): Promise<{ kind?: unknown; code?: unknown }> => {
  const context = {
    fetch: () => Promise.reject(new TypeError('fetch failed', { cause })),
    signal: new AbortController().signal,
    clock: { now: () => 0 },
    ...(carriesMessage && { markSendStarted: () => {} }),
    ...options,
  }
  return sendRequest(context as never, 'https://example.com/', { method: 'POST' }).then(
    () => ({}),
    (error) => error,
  )
}
const kindAfter = async (cause: Error, options?: SendOptions) => (await errorAfter(cause, options)).kind

describe('a network error', () => {
  it.each([
    ['no connection within the time limit of the system', systemError('connect', 'ETIMEDOUT')],
    ['no route to the host', systemError('connect', 'EHOSTUNREACH')],
    ['a refused connection', systemError('connect', 'ECONNREFUSED')],
    ['no connection to any address', triedAddresses('ETIMEDOUT', 'ENETUNREACH')],
    ['an unknown host', systemError('getaddrinfo', 'ENOTFOUND')],
    ['a permanent failure of the system resolver', systemError('getaddrinfo', 'EAI_FAIL')],
    ['a host name that DNS does not allow', systemError('queryA', 'EBADNAME')],
    ['a malformed response from DNS', systemError('queryA', 'EBADRESP')],
    ['an invalid certificate', Object.assign(new Error('expired'), { code: 'CERT_HAS_EXPIRED' })],
  ])('means that the provider could not be reached: %s', async (_, cause) => {
    expect(await kindAfter(cause)).toBe('provider')
  })

  it.each([
    ['no acknowledgment within the time limit of the system', systemError('read', 'ETIMEDOUT')],
    ['no route on an open connection', systemError('read', 'EHOSTUNREACH')],
    ['a reset connection', systemError('read', 'ECONNRESET')],
    ['a closed socket', Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })],
  ])('is ambiguous if the message may have been received: %s', async (_, cause) => {
    expect(await kindAfter(cause)).toBe('ambiguous')
    expect(await kindAfter(cause, { carriesMessage: false })).toBe('provider')
  })

  it('means that the provider could not be reached if `wasConnected` returns false, whatever the error is', async () => {
    const cause = systemError('read', 'ECONNRESET')
    expect(await kindAfter(cause, { wasConnected: () => false })).toBe('provider')
    expect(await kindAfter(cause, { wasConnected: () => undefined })).toBe('ambiguous')
  })

  const badRecord = Object.assign(new Error('bad record'), { code: 'ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC' })

  it('is ambiguous if `wasConnected` returns true, whatever the error is', async () => {
    expect(await kindAfter(badRecord, { wasConnected: () => true })).toBe('ambiguous')
    expect(await kindAfter(badRecord, { wasConnected: () => undefined })).toBe('provider')
  })

  it('is ambiguous while the body is read, whatever the error is', async () => {
    const body = () => new ReadableStream({ pull: (controller) => controller.error(badRecord) })
    expect(await kindAfter(badRecord, { fetch: async () => new Response(body()) })).toBe('ambiguous')
  })
})

it('has the code connection_lost if the response is not HTTP', async () => {
  // The cause of undici's error has a `code` that is undefined.
  const cause = Object.assign(new Error('Expected HTTP/'), { code: undefined })
  expect(await errorAfter(cause)).toMatchObject({ kind: 'ambiguous', code: 'connection_lost' })
})

describe('a request that cannot be sent', () => {
  const context = { fetch, signal: new AbortController().signal, clock: { now: () => 0 }, markSendStarted: () => {} }
  const post = (headers: Record<string, string>) => ({ method: 'POST', body: 'x', headers })

  it.each([
    ['an invalid header', 'https://127.0.0.1:9/', { headers: { title: 'Ω' } }],
    ['an invalid method', 'https://127.0.0.1:9/', { method: 'GET /' }],
    ['a relative URL', '/relative', {}],
    ['a body with GET', 'https://127.0.0.1:4/', { body: 'x' }],
    ['an invalid content length', 'https://127.0.0.1:4/', post({ 'content-length': 'abc' })],
    ['a header that undici does not support', 'https://127.0.0.1:4/', post({ expect: '100-continue' })],
    ['a port that browsers block', 'https://127.0.0.1:25/', post({})],
    ['an unknown scheme', 'mail://127.0.0.1/', post({})],
  ])('is a fault of the provider, not ambiguous: %s', async (_, url, request) => {
    await expect(sendRequest(context as never, url, request)).rejects.toMatchObject({ kind: 'provider', code: 'provider_fault' })
  })
})

it.each([
  ['a reset connection', systemError('read', 'ECONNRESET')],
  ['a closed socket', Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })],
])('a request that only a custom `fetch` accepts is ambiguous after %s', async (_, cause) => {
  const context = {
    fetch: () => Promise.reject(new TypeError('fetch failed', { cause })),
    signal: new AbortController().signal,
    clock: { now: () => 0 },
    markSendStarted: () => {},
  }
  await expect(sendRequest(context as never, '/relative', {})).rejects.toMatchObject({ kind: 'ambiguous' })
})

describe('the URL of an API', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com/'],
    ['https://api.example.com/v1', 'https://api.example.com/v1/'],
    ['http://[::1]:8080/', 'http://[::1]:8080/'],
  ])('%s ends with a slash', (text, url) => {
    expect(parseApiUrl(text)).toBe(url)
  })

  it.each([
    'https://api.example.com/?key=1',
    'https://api.example.com/#v1',
    'https://ada@api.example.com/',
    'https://:pw@api.example.com/',
  ])('%s is rejected', (text) => {
    expect(() => parseApiUrl(text)).toThrow('An API URL must not have a user, password, query or fragment.')
  })
})

describe('the delay from Retry-After', () => {
  const oneWeekMs = 7 * 24 * 60 * 60 * 1000

  it.each([
    ['2.5', 2_500],
    ['604801', oneWeekMs],
    ['Fri, 02 Jan 2026 00:00:30 GMT', 30_000],
    ['Fri, 01 Jan 2100 00:00:00 GMT', oneWeekMs],
    ['Thu, 01 Jan 2026 00:00:00 GMT', 0],
    ['soon', undefined],
  ])('%s is at least 0 and at most 7 days', async (value, expected) => {
    const context = {
      fetch: async () => new Response(null, { status: 503, headers: { 'retry-after': value } }),
      signal: new AbortController().signal,
      clock: { now: () => Date.parse('2026-01-02T00:00:00Z'), setTimer: () => () => {} },
    }
    expect((await sendRequest(context, 'https://example.com/', {})).retryAfterMs).toBe(expected)
  })
})

const egress = createRestrictedEgress({ allowedNetworks: ['127.0.0.0/8'] })

describe('a body that does not end', () => {
  /** Reads a response whose body begins with `start` and does not end, and waits until its connection is closed. */
  const read = async (start: string, maxBodyBytes: number): Promise<string> => {
    const closed = Promise.withResolvers<void>()
    const server = await startMockServer(() => (response) => void response.on('close', closed.resolve).writeHead(200).write(start))
    onTestFinished(server.close)
    const context = { fetch: egress.fetch, signal: new AbortController().signal, clock: { now: () => 0, setTimer: () => () => {} } }
    const { text } = await sendRequest(context, server.url, {}, { maxBodyBytes })
    await closed.promise
    return text
  }

  it('is read up to `maxBodyBytes`', { timeout: 10_000 }, async () => {
    expect(await read('abcdef', 4)).toBe('abcd')
    expect(await read('abcd', 4)).toBe('abcd')
    expect(await read('abcd', 0)).toBe('')
  })

  it('is not awaited if `maxBodyBytes` is 0', { timeout: 10_000 }, async () => {
    expect(await read('', 0)).toBe('')
  })
})

describe('a body that does not end before the signal aborts', () => {
  /** Sends a request whose signal aborts when the headers of the response have arrived. */
  const send = async (status: number, statusSuffices: boolean) => {
    const server = await startMockServer(() => (response) => void response.writeHead(status, { 'content-length': 10 }).write('x'))
    onTestFinished(server.close)
    const controller = new AbortController()
    const fetch: typeof egress.fetch = async (url, init) => {
      const response = await egress.fetch(url, init)
      setImmediate(() => controller.abort(new Error('timed out')))
      return response
    }
    const context = { fetch, signal: controller.signal, clock: { now: () => 0, setTimer: () => () => {} }, markSendStarted: () => {} }
    return sendRequest(context, server.url, { method: 'POST' }, { statusSuffices })
  }

  it('is left out if the status suffices, or is an error', async () => {
    expect(await send(200, true)).toMatchObject({ status: 200, text: '' })
    expect(await send(400, true)).toMatchObject({ status: 400, text: '' })
    expect(await send(503, false)).toMatchObject({ status: 503, text: '' })
  })

  it('is an error otherwise', async () => {
    await expect(send(200, false)).rejects.toThrow('timed out')
    await expect(send(302, true)).rejects.toThrow('timed out')
  })
})
