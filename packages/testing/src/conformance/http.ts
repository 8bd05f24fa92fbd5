import { buildOperationPath } from '@flowpost/contract/rules'
import { type NamedRoute, operations } from '../http/operations.ts'
import type { Operation } from '../public-types.ts'
import { assert, assertEqual } from './assertions.ts'
import { createExchange, type Exchange } from './exchange.ts'
import type { ConformanceTarget } from './target.ts'
import type { PlainResponse } from './verify-response.ts'

export type { PlainResponse } from './verify-response.ts'

/** A request to an operation. */
export interface OperationRequest {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly json?: unknown
  /** The raw body. Ignored if `json` is set. */
  readonly body?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  /** The API key. Defaults to the target's `apiKey`. If `null`, the request has no key. */
  readonly key?: string | null
}

/** Plain HTTP functions, for requests that the client cannot send. */
export interface PlainHttp {
  /** Calls an operation and returns the response, even if its status is an error. */
  call(operation: Operation, request: OperationRequest): Promise<PlainResponse>
  /** Calls an operation and throws unless the response has this status and, if given, this problem code. */
  expect(operation: Operation, status: number, request: OperationRequest, code?: string): Promise<PlainResponse>
  /** Sends a request with any method and path, even ones that the contract does not declare. */
  raw(method: string, path: string, request?: Omit<OperationRequest, 'params'>): Promise<PlainResponse>
}

const byName = new Map(operations.map((named) => [named.operation, named]))

/** Returns an operation's route. */
export const routeOf = (operation: Operation): NamedRoute => {
  const named = byName.get(operation)
  if (!named) throw new Error(`The contract has no operation ${operation}.`)
  return named
}

/** Creates a {@link PlainHttp} for a target. By default, requests have no time limit. */
export const createPlainHttp = (target: ConformanceTarget, exchange: Exchange = createExchange(target)): PlainHttp => {
  const raw: PlainHttp['raw'] = async (method, path, request = {}) => {
    const { query = {}, json, headers = {}, key = target.apiKey } = request
    const body = json === undefined ? request.body : JSON.stringify(json)
    const search = new URLSearchParams(query).toString()
    const { plain } = await exchange.send(`${target.baseUrl}${path}${search === '' ? '' : `?${search}`}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: body as string }),
    })
    return plain
  }

  const call: PlainHttp['call'] = (operation, { params = {}, ...request }) => {
    const { route } = routeOf(operation)
    return raw(route.method, buildOperationPath(route.path, params), request)
  }

  return {
    raw,
    call,
    expect: async (operation, status, request, code) => {
      const response = await call(operation, request)
      const problem =
        response.status >= 400 ? `${response.json?.code}: ${response.json?.detail} ${JSON.stringify(response.json?.errors ?? [])}` : ''
      assert(response.status === status, `${operation} must return ${status}, not ${response.status} ${problem}`)
      if (code !== undefined) assertEqual(response.json?.code, code, `${operation}, ${status}: the problem code`)
      return response
    },
  }
}
