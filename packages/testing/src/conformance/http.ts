import { problemMediaType } from '@flowpost/contract'
import { buildOperationPath } from '@flowpost/contract/rules'
import { checkResponse } from '../http/contract-check.ts'
import { type NamedRoute, operations } from '../http/operations.ts'
import type { Operation } from '../public-types.ts'
import { assert, assertEqual, ConformanceFailure } from './assertions.ts'
import type { ConformanceTarget } from './target.ts'

/** The parts of a request. */
export interface OperationRequest {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly json?: unknown
  /** A raw body instead of `json`. */
  readonly body?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  /** The API key. Defaults to the key of the target; `null` sends none. */
  readonly key?: string | null
}

/** A response with its body. */
export interface PlainResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: scenarios read contract fields, which are validated before.
  readonly json: any
}

/** Sends HTTP requests without the client, for requests that the client cannot send. */
export interface PlainHttp {
  /** Calls an operation and validates the response against the contract. */
  call(operation: Operation, request: OperationRequest): Promise<PlainResponse>
  /** Calls an operation and throws unless the response has this status and, if given, this problem code. */
  expect(operation: Operation, status: number, request: OperationRequest, code?: string): Promise<PlainResponse>
  /** Sends an arbitrary request. */
  raw(method: string, path: string, request?: Omit<OperationRequest, 'params'>): Promise<PlainResponse>
}

const byName = new Map(operations.map((named) => [named.operation, named]))

/** Returns the route of an operation. */
export const routeOf = (operation: Operation): NamedRoute => {
  const named = byName.get(operation)
  if (!named) throw new Error(`The contract has no operation ${operation}.`)
  return named
}

/** @throws {ConformanceFailure} When the response of an operation violates the contract. */
export const verifyContract = (named: NamedRoute, response: PlainResponse): void => {
  const { status, headers, text, json } = response
  const what = `${named.operation}, ${status}`
  const type = headers.get('content-type') ?? ''
  if (status >= 400) assert(type.startsWith(problemMediaType), `${what}: an error must be ${problemMediaType}`, type)
  else if (text !== '') assert(type.startsWith('application/json'), `${what}: the body must be JSON`, type)
  try {
    checkResponse(named, status, json)
  } catch (error) {
    throw new ConformanceFailure((error as Error).message.replace('The mock created', 'The server sent'))
  }
  if (status >= 400) assertEqual(json.request_id, headers.get('x-request-id'), `${what}: request_id and X-Request-Id`)
}

/** Creates the HTTP functions for a target. */
export const createPlainHttp = (target: ConformanceTarget): PlainHttp => {
  // Reads the global `fetch` for each request, so that a later replacement takes effect.
  const fetch = target.fetch ?? ((input: string, init: RequestInit) => globalThis.fetch(input, init))

  const raw: PlainHttp['raw'] = async (method, path, request = {}) => {
    const { query = {}, json, headers = {}, key = target.apiKey } = request
    const body = json === undefined ? request.body : JSON.stringify(json)
    const search = new URLSearchParams(query).toString()
    const fetched = await fetch(`${target.baseUrl}${path}${search === '' ? '' : `?${search}`}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: body as string }),
    })
    const text = await fetched.text()
    assert(fetched.headers.get('x-request-id'), `${method} ${path}, ${fetched.status}: the response has no X-Request-Id`)
    const isJson = /[/+]json/.test(fetched.headers.get('content-type') ?? '')
    return { status: fetched.status, headers: fetched.headers, text, json: isJson && text !== '' ? JSON.parse(text) : undefined }
  }

  const call: PlainHttp['call'] = async (operation, { params = {}, ...request }) => {
    const named = routeOf(operation)
    const response = await raw(named.route.method, buildOperationPath(named.route.path, params), request)
    verifyContract(named, response)
    return response
  }

  return {
    raw,
    call,
    expect: async (operation, status, request, code) => {
      const response = await call(operation, request)
      const problem =
        response.status >= 400 ? `${response.json?.code}: ${response.json?.detail} ${JSON.stringify(response.json?.errors ?? [])}` : ''
      assert(response.status === status, `${operation} must return ${status}, not ${response.status} ${problem}`)
      if (code !== undefined) assertEqual(response.json?.code, code, `${operation}, ${status}: code`)
      return response
    },
  }
}
