import { ApiError, notFound } from '@flowpost/contract/rules'
import type { OwnClock } from '../clock/mock-clock.ts'
import type { Dispatcher } from '../delivery/dispatcher.ts'
import type { RequestFault, RequestFaults } from '../faults/request-faults.ts'
import { timestamp, type World } from '../state/world.ts'
import type { HandlerTable } from './call.ts'
import type { WrittenAnswer } from './idempotency.ts'
import { type Match, matchOperation } from './operations.ts'
import { perform } from './perform.ts'
import { parseQuery, type RecordedRequest, readableBody, readableHeaders } from './recorded-request.ts'
import { toResponse } from './response.ts'
import { writeProblem, writeStatusFault } from './write-answer.ts'

// Sane: what a proxy or a tracing tool makes, and nothing that could forge a line of a log.
const saneRequestId = /^[A-Za-z0-9._:/+=@-]{1,128}$/

/** What answering needs beside the state. */
export interface FetchDeps {
  readonly handlers: HandlerTable
  readonly faults: RequestFaults
  readonly dispatcher: Dispatcher
  readonly requests: RecordedRequest[]
  /** The path of the base URL, without a slash at its end. */
  readonly basePath: string
  /** The requests that are not answered yet: at a reset they are given up, or they would touch what comes after it. */
  readonly open: Set<AbortController>
}

type Written = WrittenAnswer & { readonly isStalled?: boolean }

const connectionFailed = (): TypeError => new TypeError('fetch failed', { cause: new Error('A fault that the mock was told to make.') })

const findMatch = (method: string, path: string): Match => {
  try {
    return matchOperation(method, path)
  } catch (error) {
    // A path that cannot be decoded names no resource.
    if (error instanceof URIError) return { kind: 'nothing' }
    throw error
  }
}

const unmatched = (match: Exclude<Match, { kind: 'operation' }>, method: string, path: string, requestId: string): WrittenAnswer => {
  if (match.kind === 'nothing') {
    const isUndecodable = /%(?![0-9a-f]{2})/i.test(path)
    return writeProblem(isUndecodable ? notFound() : new ApiError('not_found', `There is nothing at ${path.slice(0, 200)}.`), requestId)
  }
  const headers = { Allow: [...match.methods, 'OPTIONS'].join(', ') }
  if (method === 'OPTIONS') return { status: 204, headers, text: undefined }
  return writeProblem(new ApiError('method_not_allowed', `This resource supports ${match.methods.join(', ')}.`, { headers }), requestId)
}

/** Waits on the clock of the mock; rejects when nobody waits for the answer any more. */
const pauseFor = (clock: OwnClock, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const giveUp = () => {
      stop()
      reject(signal.reason)
    }
    const stop = clock.hold(resolve, ms)
    signal.addEventListener('abort', giveUp, { once: true })
  })

/** Cuts an answer off where a fault says so. */
const spoil = (answer: WrittenAnswer, fault: RequestFault | undefined): Written => {
  if (fault === 'commitThenDrop') throw connectionFailed()
  const { text = '' } = answer
  const half = text.slice(0, Math.floor(text.length / 2))
  if (fault === 'malformedJson') return { ...answer, text: half }
  if (fault !== 'stalledBody') return answer
  // The length of the whole is announced, so that nobody takes the half for it when the connection is closed.
  const headers = { ...answer.headers, 'Content-Length': String(new TextEncoder().encode(text).length) }
  return { ...answer, headers, text: half, isStalled: true }
}

/** Makes the function that answers requests, with the signature of `fetch`. */
export const createFetch = (world: World, deps: FetchDeps) => {
  const answer = async (request: Request, url: URL, bytes: Uint8Array, signal: AbortSignal): Promise<Response> => {
    const { method, headers } = request
    const given = headers.get('x-request-id')
    const requestId = given !== null && saneRequestId.test(given) ? given : world.words.uuid()
    const path = url.pathname.startsWith(`${deps.basePath}/`) ? url.pathname.slice(deps.basePath.length) : url.pathname
    const query = parseQuery(url.searchParams)
    const match = findMatch(method, path)
    const operation = match.kind === 'operation' ? match.named.operation : null
    const entry = { operation, method, path, query, headers: readableHeaders(headers), body: readableBody(bytes), request_id: requestId }
    const index = deps.requests.push({ ...entry, status: null, received_at: timestamp(world) }) - 1

    const written = async (): Promise<Written> => {
      if (match.kind !== 'operation') return unmatched(match, method, path, requestId)
      const fault = deps.faults.take(match.named.operation)
      if (fault === 'networkError') throw connectionFailed()
      if (typeof fault === 'object' && 'status' in fault) return writeStatusFault(fault, requestId, match.named)
      const pause = typeof fault === 'object' ? () => pauseFor(world.clock, fault.latencyMs, signal) : undefined
      const { named, params } = match
      const made = await perform(world, deps.handlers, { named, requestId, path, params, query, headers, bytes, signal }, pause)
      deps.dispatcher.run()
      signal.throwIfAborted()
      return spoil(made, fault)
    }

    const made = await written()
    const recorded = deps.requests[index]
    if (recorded) deps.requests[index] = { ...recorded, status: made.status }
    return toResponse(made, { method, requestId, signal: request.signal })
  }

  return async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init)
    request.signal.throwIfAborted()
    const done = world.clock.busy()
    const bytes = new Uint8Array(await request.arrayBuffer().finally(done))
    const controller = new AbortController()
    request.signal.addEventListener('abort', () => controller.abort(request.signal.reason), { once: true })
    deps.open.add(controller)
    return answer(request, new URL(request.url), bytes, controller.signal).finally(() => deps.open.delete(controller))
  }
}
