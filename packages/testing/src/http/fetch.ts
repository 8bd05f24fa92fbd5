import { ApiError, parseQuery } from '@flowpost/contract/rules'
import type { Dispatcher } from '../delivery/dispatcher.ts'
import type { RequestFault, RequestFaults } from '../faults/request-faults.ts'
import type { InternalClock } from '../state/mock-clock.ts'
import { type MockContext, timestamp } from '../state/mock-context.ts'
import type { HandlerTable } from './handler.ts'
import type { WrittenResponse } from './idempotency.ts'
import { type Match, matchOperation } from './operations.ts'
import { perform } from './perform.ts'
import { omitCredential, type RecordedRequest, toReadableBody } from './recorded-request.ts'
import { toResponse, writeProblem, writeStatusFault } from './responses.ts'

// Accepts ids from proxies and tracing tools, but no characters that could forge a log line.
const validRequestId = /^[A-Za-z0-9._:/+=@-]{1,128}$/

/** The dependencies of the fetch function, besides the context. */
export interface FetchDeps {
  readonly handlers: HandlerTable
  readonly faults: RequestFaults
  readonly dispatcher: Dispatcher
  readonly requests: RecordedRequest[]
  /** The path of the base URL without a trailing slash. */
  readonly basePath: string
  /** The requests in progress. A reset of the mock aborts them, so that they cannot change the new state. */
  readonly pending: Set<AbortController>
}

type Written = WrittenResponse & { readonly isStalled?: boolean }

const connectionFailed = (): TypeError => new TypeError('fetch failed', { cause: new Error('A fault injected by the test.') })

const writeUnmatched = (match: Exclude<Match, { kind: 'operation' }>, method: string, path: string, requestId: string): WrittenResponse => {
  if (match.kind === 'nothing') return writeProblem(new ApiError('not_found', `There is nothing at ${path.slice(0, 200)}.`), requestId)
  const headers = { Allow: [...match.methods, 'OPTIONS'].join(', ') }
  if (method === 'OPTIONS') return { status: 204, headers, text: undefined }
  return writeProblem(new ApiError('method_not_allowed', `This resource supports ${match.methods.join(', ')}.`, { headers }), requestId)
}

/** Settles like `work`, but rejects with the abort reason as soon as the signal aborts. */
const rejectOnAbort = <Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })

/** Waits `ms` milliseconds on the mock's clock. Rejects when the request is aborted. */
const waitFor = (clock: InternalClock, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const onAbort = () => {
      stop()
      reject(signal.reason)
    }
    const stop = clock.scheduleAwaited(resolve, ms)
    signal.addEventListener('abort', onAbort, { once: true })
  })

/** Applies a fault to a response. */
const applyResponseFault = (response: WrittenResponse, fault: RequestFault | undefined): Written => {
  if (fault === 'commitThenDrop') throw connectionFailed()
  const { text = '' } = response
  const half = text.slice(0, Math.floor(text.length / 2))
  if (fault === 'malformedJson') return { ...response, text: half }
  if (fault !== 'stalledBody') return response
  // Sends half of the body, but announces its full length, so that clients detect the truncation when the connection closes.
  const headers = { ...response.headers, 'Content-Length': String(new TextEncoder().encode(text).length) }
  return { ...response, headers, text: half, isStalled: true }
}

/** Creates the function that processes requests, with the signature of `fetch`. */
export const createFetch = (context: MockContext, deps: FetchDeps) => {
  const respond = async (request: Request, url: URL, bytes: Uint8Array, signal: AbortSignal): Promise<Response> => {
    const { method, headers } = request
    const requestedId = headers.get('x-request-id')
    const requestId = requestedId !== null && validRequestId.test(requestedId) ? requestedId : context.tokens.uuid()
    const path = url.pathname.startsWith(`${deps.basePath}/`) ? url.pathname.slice(deps.basePath.length) : url.pathname
    const query = parseQuery(url.searchParams)
    const match = matchOperation(method, path)
    const operation = match.kind === 'operation' ? match.named.operation : null
    const entry = { operation, method, path, query, headers: omitCredential(headers), body: toReadableBody(bytes), request_id: requestId }
    const index = deps.requests.push({ ...entry, status: null, received_at: timestamp(context) }) - 1

    const handle = async (): Promise<Written> => {
      if (match.kind !== 'operation') return writeUnmatched(match, method, path, requestId)
      const fault = deps.faults.take(match.named.operation)
      if (fault === 'networkError') throw connectionFailed()
      if (typeof fault === 'object' && 'status' in fault) return writeStatusFault(fault, requestId, match.named)
      const pause = typeof fault === 'object' ? () => waitFor(context.clock, fault.latencyMs, signal) : undefined
      const { named, params } = match
      const written = await perform(context, deps.handlers, { named, requestId, path, params, query, headers, bytes, signal }, pause)
      deps.dispatcher.run()
      signal.throwIfAborted()
      return applyResponseFault(written, fault)
    }

    const written = await handle()
    const recorded = deps.requests[index]
    if (recorded) deps.requests[index] = { ...recorded, status: written.status }
    return toResponse(written, { method, requestId, signal: request.signal })
  }

  return async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init)
    request.signal.throwIfAborted()
    const controller = new AbortController()
    const { signal } = controller
    request.signal.addEventListener('abort', () => controller.abort(request.signal.reason), { once: true })
    deps.pending.add(controller)
    const done = context.clock.markBusy()
    // Without this listener, an aborted request whose body never ends would keep the clock busy.
    signal.addEventListener('abort', done, { once: true })
    const work = async (): Promise<Response> => {
      const bytes = new Uint8Array(await request.arrayBuffer().finally(done))
      signal.throwIfAborted()
      return respond(request, new URL(request.url), bytes, signal)
    }
    return rejectOnAbort(work(), signal).finally(() => deps.pending.delete(controller))
  }
}
