import { problemMediaType } from '@flowpost/contract'
import { buildOperationPath } from '@flowpost/contract/rules'
import { checkAnswer } from '../http/contract-check.ts'
import { type NamedRoute, operations } from '../http/operations.ts'
import type { Operation } from '../named-types.ts'
import { ConformanceFailure, equal, holds } from './failure.ts'
import type { ConformanceTarget } from './target.ts'

/** What a request of an operation is made of. */
export interface OperationRequest {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly json?: unknown
  /** A body that is not JSON, in place of `json`. */
  readonly body?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  /** Default: that of the target; `null`: none. */
  readonly key?: string | null
}

/** An answer, its body read. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: scenarios read whatever the contract says, and the contract was checked.
  readonly json: any
}

/** Calls a server without the client, where the client cannot say what is to be said. */
export interface PlainHttp {
  /** Requests an operation and holds the answer against the contract. */
  call(operation: Operation, request: OperationRequest): Promise<HttpAnswer>
  /** As `call`, and fails for another status, or for a problem with another code. */
  expect(operation: Operation, status: number, request: OperationRequest, code?: string): Promise<HttpAnswer>
  /** Requests anything. */
  raw(method: string, path: string, request?: Omit<OperationRequest, 'params'>): Promise<HttpAnswer>
}

const byName = new Map(operations.map((named) => [named.operation, named]))

/** The route of an operation. */
export const routeOf = (operation: Operation): NamedRoute => {
  const named = byName.get(operation)
  if (!named) throw new Error(`The contract has no operation ${operation}.`)
  return named
}

const holdAgainstContract = (named: NamedRoute, answer: HttpAnswer): void => {
  const { status, headers, text, json } = answer
  const what = `${named.operation}, ${status}`
  const type = headers.get('content-type') ?? ''
  if (status >= 400) holds(type.startsWith(problemMediaType), `${what}: an error must be ${problemMediaType}`, type)
  else if (text !== '') holds(type.startsWith('application/json'), `${what}: the body must be JSON`, type)
  try {
    checkAnswer(named, status, json)
  } catch (error) {
    throw new ConformanceFailure((error as Error).message.replace('The mock made', 'The server made'))
  }
  if (status >= 400) equal(json.request_id, headers.get('x-request-id'), `${what}: request_id and X-Request-Id`)
}

/** Makes plain requests to a target. */
export const createPlainHttp = (target: ConformanceTarget): PlainHttp => {
  // Looked up at each request: whatever replaces it later must be seen.
  const fetch = target.fetch ?? ((input: string, init: RequestInit) => globalThis.fetch(input, init))

  const raw: PlainHttp['raw'] = async (method, path, request = {}) => {
    const { query = {}, json, headers = {}, key = target.apiKey } = request
    const body = json === undefined ? request.body : JSON.stringify(json)
    const search = new URLSearchParams(query).toString()
    const response = await fetch(`${target.baseUrl}${path}${search === '' ? '' : `?${search}`}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: body as string }),
    })
    const text = await response.text()
    holds(response.headers.get('x-request-id'), `${method} ${path}, ${response.status}: the answer has no X-Request-Id`)
    const isJson = /[/+]json/.test(response.headers.get('content-type') ?? '')
    return { status: response.status, headers: response.headers, text, json: isJson && text !== '' ? JSON.parse(text) : undefined }
  }

  const call: PlainHttp['call'] = async (operation, { params = {}, ...request }) => {
    const named = routeOf(operation)
    const answer = await raw(named.route.method, buildOperationPath(named.route.path, params), request)
    holdAgainstContract(named, answer)
    return answer
  }

  return {
    raw,
    call,
    expect: async (operation, status, request, code) => {
      const answer = await call(operation, request)
      const problem =
        answer.status >= 400 ? `${answer.json?.code}: ${answer.json?.detail} ${JSON.stringify(answer.json?.errors ?? [])}` : ''
      holds(answer.status === status, `${operation} must answer ${status}, not ${answer.status} ${problem}`)
      if (code !== undefined) equal(answer.json?.code, code, `${operation}, ${status}: code`)
      return answer
    },
  }
}
