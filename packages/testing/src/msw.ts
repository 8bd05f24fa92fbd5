import { escapeRegExp } from '@flowpost/domain'
import { HttpResponse, http } from 'msw'
import type { FlowpostMock } from './mock.ts'

/** Options for {@link flowpostHandlers}. */
export interface HandlerOptions {
  /** The base URL that the tested code calls. Defaults to the base URL of the mock. */
  readonly baseUrl?: string | undefined
}

/**
 * Creates handlers that pass all requests under a base URL to the mock. Supports Mock Service Worker 2 (2.10 or
 * newer) and 3. Unknown paths result in a 404.
 *
 * ```ts
 * const mock = createFlowpostMock({ baseUrl: 'https://flowpost.example.com' })
 * const server = setupServer(...flowpostHandlers(mock))
 * ```
 *
 * When the mock simulates a failed connection, the response is `HttpResponse.error()`.
 */
export const flowpostHandlers = (mock: FlowpostMock, options: HandlerOptions = {}) => {
  // MSW compares normalized URLs, for example with a lower-case host and without the default port.
  const baseUrl = new URL(options.baseUrl ?? mock.baseUrl).href.replace(/\/+$/, '')
  const basePath = new URL(baseUrl).pathname.replace(/\/+$/, '')
  return [
    // Uses a regular expression, because MSW 2 patterns do not match paths with malformed percent-encoding. The mock must
    // respond to such paths with a 404.
    http.all(new RegExp(`^${escapeRegExp(baseUrl)}/`), async ({ request }) => {
      const { pathname, search } = new URL(request.url)
      const { method, headers, signal } = request
      // Reads the whole body, because not every browser supports request bodies as streams.
      const body = await request.arrayBuffer()
      const init = { method, headers, signal, ...(body.byteLength > 0 ? { body } : {}) }
      try {
        return await mock.fetch(mock.baseUrl + pathname.slice(basePath.length) + search, init)
      } catch (error) {
        // `fetch` reports a failed connection as a TypeError. After an abort, the caller ignores the response.
        if (error instanceof TypeError || request.signal.aborted) return HttpResponse.error()
        throw error
      }
    }),
  ]
}
