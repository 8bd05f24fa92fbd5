import { HttpResponse, http } from 'msw'
import type { FlowpostMock } from './mock.ts'

/** How to make handlers. */
export interface HandlerOptions {
  /** The base URL that the tested code calls. Default: that of the mock. */
  readonly baseUrl?: string
}

const literal = (text: string): string => text.replace(/[$()*+./?[\\\]^{|}-]/g, '\\$&')

/**
 * Makes handlers for Mock Service Worker 2.10 or 3 that answer whatever is requested under a base URL as the mock does,
 * also what it does not know: 404.
 *
 * ```ts
 * const mock = createFlowpostMock({ baseUrl: 'https://flowpost.example.com' })
 * const server = setupServer(...flowpostHandlers(mock))
 * ```
 *
 * A fault that breaks the connection becomes `HttpResponse.error()`.
 */
export const flowpostHandlers = (mock: FlowpostMock, options: HandlerOptions = {}) => {
  const baseUrl = (options.baseUrl ?? mock.baseUrl).replace(/\/+$/, '')
  const basePath = new URL(baseUrl).pathname.replace(/\/+$/, '')
  return [
    // A pattern and no path: MSW 2 cannot match a path that is not well encoded, which the server answers too.
    http.all(new RegExp(`^${literal(baseUrl)}/`), async ({ request }) => {
      const { pathname, search } = new URL(request.url)
      const { method, headers, signal } = request
      // Read here, because not every browser has the body of a request as a stream.
      const body = await request.arrayBuffer()
      const init = { method, headers, signal, ...(body.byteLength > 0 ? { body } : {}) }
      try {
        return await mock.fetch(mock.baseUrl + pathname.slice(basePath.length) + search, init)
      } catch (error) {
        // As `fetch` does: a connection that fails is a TypeError, and an abort is nobody's answer.
        if (error instanceof TypeError || request.signal.aborted) return HttpResponse.error()
        throw error
      }
    }),
  ]
}
