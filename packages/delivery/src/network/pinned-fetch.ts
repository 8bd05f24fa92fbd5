import * as http from 'node:http'
import * as https from 'node:https'
import type { LookupFunction } from 'node:net'
import { Readable } from 'node:stream'

/**
 * A subset of `fetch` for untrusted URLs. It connects only to addresses that were checked (DNS pinning), sends only text,
 * and does not follow redirects.
 */
export type PinnedFetch = (url: string, init: PinnedRequest) => Promise<Response>

/** The options for a {@link PinnedFetch} request. */
export interface PinnedRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
  /**
   * Called with `open` when the connection is open, before the server receives the first byte of the request. If a
   * `fetch` cannot detect this moment, it calls `onConnected` with `unknown` before it connects.
   */
  readonly onConnected?: (connection: 'open' | 'unknown') => void
}

/**
 * The time, in milliseconds, to try one of a host's addresses before trying the next one (Happy Eyeballs, RFC 8305).
 * Node's default of 250 is too short for connections between continents.
 */
export const addressAttemptTimeoutMs = 2500

/**
 * The maximum size of a response's headers, in bytes. The default of Node is 16 KiB. If the headers exceed the maximum, the
 * response is lost, and it is unknown whether the message was accepted.
 */
const maxHeaderSize = 65_536

const statusesWithoutBody = new Set([204, 205, 304])

/**
 * Creates a `fetch` that connects only to addresses that a lookup function returns. The global `fetch` does not support
 * this. Each request opens a new connection: if the server closed a reused connection during a request, it would be unknown
 * whether the message was sent.
 *
 * @param createLookup Returns the DNS lookup function to use for a URL, or throws to reject the URL. If the host is an
 * IP address, the lookup function is never called, so `createLookup` must check the address.
 */
export function createPinnedFetch(createLookup: (url: URL) => LookupFunction): PinnedFetch {
  // The agents have no `lookup`, because it would take precedence over the `lookup` of a request.
  const agentOptions = { keepAlive: false, autoSelectFamilyAttemptTimeout: addressAttemptTimeoutMs }
  const agents = { 'http:': new http.Agent(agentOptions), 'https:': new https.Agent(agentOptions) }
  return async (address, { method = 'GET', headers = {}, body, signal, onConnected = () => {} }) => {
    const url = new URL(address)
    const lookup = createLookup(url)
    signal.throwIfAborted()
    const contentLength = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>()
    const { request } = url.protocol === 'http:' ? http : https
    const agent = url.protocol === 'http:' ? agents['http:'] : agents['https:']
    // The response is not decompressed. Without this header, a server may compress it.
    const allHeaders = { 'accept-encoding': 'identity', ...headers, ...contentLength }
    const options = { method, headers: allHeaders, agent, lookup, signal, maxHeaderSize }
    const outgoing = request(url, options, resolve)
    // Node emits `connect` or `secureConnect` and writes the request in the same turn of the event loop, so no timeout or abort
    // can occur between the two.
    outgoing.once('socket', (socket) => socket.once(url.protocol === 'http:' ? 'connect' : 'secureConnect', () => onConnected('open')))
    outgoing.on('error', reject)
    // If the server sends an unsolicited 101 (Switching Protocols), Node closes the connection and emits neither a response nor
    // an error.
    outgoing.on('close', () => reject(new Error('The connection was closed without a response.')))
    outgoing.end(body)
    const incoming = await promise
    try {
      return toResponse(incoming)
    } catch (error) {
      // The response is invalid. The server may leave the connection open, so close it here.
      incoming.destroy()
      throw error
    }
  }
}

/**
 * Converts an `IncomingMessage` from Node to a `Response`.
 *
 * @throws RangeError for an invalid status.
 */
function toResponse(incoming: http.IncomingMessage): Response {
  const status = incoming.statusCode ?? 0
  const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  if (!statusesWithoutBody.has(status)) return new Response(Readable.toWeb(incoming) as ReadableStream<Uint8Array>, { status, headers })
  // The server may send a body although the status forbids it. After a 205, Node would read this body without limit.
  incoming.destroy()
  return new Response(null, { status, headers })
}
