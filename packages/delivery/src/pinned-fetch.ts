import * as http from 'node:http'
import * as https from 'node:https'
import type { LookupFunction } from 'node:net'
import { Readable } from 'node:stream'

/** The part of `fetch` that is needed for addresses that someone else chose: text in, a response out, no redirects. */
export type PinnedFetch = (url: string, init: PinnedRequest) => Promise<Response>

/** A request for a {@link PinnedFetch}. */
export interface PinnedRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

/** Time for one of several addresses before the next is tried (RFC 8305); Node's own 250 ms is too short for another continent. */
export const attemptTimeoutMs = 2500

const statusesWithoutBody = new Set([204, 205, 304])

/**
 * Makes a `fetch` that connects only where `lookupFor` says; the global `fetch` cannot be told to.
 * Each request has a connection of its own: one that was kept open may be gone by the next message, and
 * then nobody could tell whether that was taken.
 *
 * @param lookupFor Called with each URL first; throws to refuse it, or gives how its host becomes addresses.
 */
export function createPinnedFetch(lookupFor: (url: URL) => LookupFunction): PinnedFetch {
  // Without a `lookup`, which would take precedence over that of a request.
  const options = { keepAlive: false, autoSelectFamilyAttemptTimeout: attemptTimeoutMs }
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) }
  return async (address, { method = 'GET', headers = {}, body, signal }) => {
    const url = new URL(address)
    const lookup = lookupFor(url)
    signal.throwIfAborted()
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>()
    const { request } = url.protocol === 'http:' ? http : https
    const agent = url.protocol === 'http:' ? agents['http:'] : agents['https:']
    const outgoing = request(url, { method, headers: { ...headers, ...length }, agent, lookup, signal }, resolve)
    outgoing.on('error', reject)
    // Node closes the connection after a 101 that nobody asked for, without a response or an error.
    outgoing.on('close', () => reject(new Error('The connection was closed without an answer.')))
    outgoing.end(body)
    const incoming = await promise
    try {
      return toResponse(incoming)
    } catch (error) {
      // Nobody else would end the connection, and the server need not.
      incoming.destroy()
      throw error
    }
  }
}

/** @throws RangeError for a status that is none. */
function toResponse(incoming: http.IncomingMessage): Response {
  const status = incoming.statusCode ?? 0
  const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  if (!statusesWithoutBody.has(status)) return new Response(Readable.toWeb(incoming) as ReadableStream<Uint8Array>, { status, headers })
  incoming.resume()
  return new Response(null, { status, headers })
}
