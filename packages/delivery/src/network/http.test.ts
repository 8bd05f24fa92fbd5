import { describe, expect, it } from 'vitest'
import { sendRequest } from './http.ts'

const systemError = (syscall: string, code: string): Error => Object.assign(new Error(`${syscall} ${code}`), { syscall, code })

const triedAddresses = (...codes: string[]): Error =>
  Object.assign(
    new AggregateError(
      codes.map((code) => systemError('connect', code)),
      'every address failed',
    ),
    { code: codes[0] },
  )

/** Sends a message with a `fetch` that rejects like Node's, and returns the kind of the error. */
const kindAfter = async (cause: Error, carriesMessage = true): Promise<unknown> => {
  const context = {
    fetch: () => Promise.reject(new TypeError('fetch failed', { cause })),
    signal: new AbortController().signal,
    clock: { now: () => 0 },
    ...(carriesMessage && { markSendStarted: () => {} }),
  }
  const error: unknown = await sendRequest(context as never, 'https://example.com/', { method: 'POST' }).catch((reason: unknown) => reason)
  return (error as { kind?: unknown }).kind
}

describe('a network error', () => {
  it.each([
    ['no connection within the time limit of the system', systemError('connect', 'ETIMEDOUT')],
    ['no route to the host', systemError('connect', 'EHOSTUNREACH')],
    ['a refused connection', systemError('connect', 'ECONNREFUSED')],
    ['no connection to any address', triedAddresses('ETIMEDOUT', 'ENETUNREACH')],
    ['an unknown host', systemError('getaddrinfo', 'ENOTFOUND')],
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
    expect(await kindAfter(cause, false)).toBe('provider')
  })
})
