import { matchOperation } from '../http/operations.ts'
import { ConformanceFailure } from './assertions.ts'
import type { ConformanceTarget } from './target.ts'
import { type PlainResponse, verifyResponse } from './verify-response.ts'

/** A complete response, both as a `Response` with an unread body and as a {@link PlainResponse}. */
export interface ExchangedResponse {
  readonly response: Response
  readonly plain: PlainResponse
}

/** Sends the requests of one scenario or cleanup, and validates the responses. */
export interface Exchange {
  /**
   * Sends a request and waits for the complete response. Rejects as soon as the scenario or cleanup is aborted.
   *
   * @throws {ConformanceFailure} If the response violates the contract.
   */
  send(url: string, init: RequestInit): Promise<ExchangedResponse>
  /**
   * Returns the first contract violation. The client reports a violation as a failed connection, so callers throw the
   * violation instead of the client's error.
   */
  violation(): ConformanceFailure | undefined
  /** Describes the requests so far, for the error message when a scenario or a cleanup times out. */
  describe(): string
}

const maxShownRequests = 3
const maxShownLength = 200

const parseJson = (what: string, headers: Headers, text: string): unknown => {
  if (text === '' || !/[/+]json/.test(headers.get('content-type') ?? '')) return undefined
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ConformanceFailure(`${what}: the body is not valid JSON: ${text.slice(0, maxShownLength)}`, { cause })
  }
}

/** The options of {@link createExchange}. */
export interface ExchangeOptions {
  /**
   * Whether responses are validated against the contract. If not, the caller must validate them.
   * @default true
   */
  readonly isValidated?: boolean
}

/**
 * Creates the exchange for a scenario or a cleanup. When `signal` aborts, the exchange aborts its requests and rejects
 * new ones. Without `signal`, requests have no time limit.
 */
export const createExchange = (target: ConformanceTarget, signal?: AbortSignal, { isValidated = true }: ExchangeOptions = {}): Exchange => {
  // Looks up the global `fetch` for each request, because it may be replaced later.
  const fetch = target.fetch ?? ((input: string, init: RequestInit) => globalThis.fetch(input, init))
  const aborted = new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }))
  // Prevents an unhandled rejection while no request awaits this promise.
  aborted.catch(() => {})
  let violation: ConformanceFailure | undefined
  let last = 'none'
  const pending = new Map<symbol, string>()
  let count = 0

  const receive = async (url: string, init: RequestInit, setState: (state: string) => void): Promise<ExchangedResponse> => {
    const signals = [init.signal, signal].filter((each) => each != null)
    const response = await fetch(url, { ...init, signal: signals.length > 1 ? AbortSignal.any(signals) : (signals[0] ?? null) })
    const { status, headers } = response
    setState(`status ${status}, incomplete body`)
    const text = await response.clone().text()
    const method = init.method ?? 'GET'
    const path = url.slice(target.baseUrl.length).replace(/[?#].*$/, '')
    const plain = { status, headers, text, json: parseJson(`${method} ${path}, ${status}`, headers, text) }
    const match = matchOperation(method, path)
    if (isValidated) verifyResponse(match.kind === 'operation' ? match.named : undefined, { method, path }, plain)
    setState(`status ${status}`)
    return { response, plain }
  }

  return {
    send: async (url, init) => {
      signal?.throwIfAborted()
      const id = Symbol()
      const setState = (state: string) => {
        last = `${init.method ?? 'GET'} ${url.slice(target.baseUrl.length).slice(0, maxShownLength)} (${state})`
        pending.set(id, last)
      }
      count += 1
      setState('no response')
      try {
        return await Promise.race([receive(url, init, setState), aborted])
      } catch (error) {
        if (error instanceof ConformanceFailure) violation ??= error
        throw error
      } finally {
        pending.delete(id)
      }
    },
    violation: () => violation,
    describe: () => {
      const unfinished = [...pending.values()].slice(0, maxShownRequests).join(', ')
      return `Requests sent: ${count}. ${unfinished === '' ? `Last request: ${last}` : `Waiting for: ${unfinished}`}.`
    },
  }
}
