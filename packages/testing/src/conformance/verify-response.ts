import { problemMediaType } from '@flowpost/contract'
import { checkResponse } from '../http/contract-check.ts'
import type { NamedRoute } from '../http/operations.ts'
import type { Operation } from '../public-types.ts'
import { assert, assertEqual, ConformanceFailure } from './assertions.ts'

/** A response with its body as text and, if it is JSON, as a parsed value. */
export interface PlainResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: scenarios read contract fields, which have already been validated.
  readonly json: any
}

/** The operations whose successful responses must have a strong `ETag` header. */
const tagged: ReadonlySet<Operation> = new Set([
  'projects.create',
  'projects.get',
  'projects.update',
  'flows.create',
  'flows.get',
  'flows.update',
  'flows.patch',
  'integrations.get',
  'integrations.put',
])

const strongEtag = /^"[\x21\x23-\x7e]+"$/

const verifyBody = (what: string, { status, headers, text }: PlainResponse): void => {
  const type = headers.get('content-type') ?? ''
  if (status === 204 || status === 304) assert(text === '', `${what}: the response must have no body`, text)
  else if (status >= 400) assert(type.startsWith(problemMediaType), `${what}: an error must be ${problemMediaType}`, type)
  else if (text !== '') assert(type.startsWith('application/json'), `${what}: the body must be JSON`, type)
}

const verifyHeaders = (what: string, operation: Operation, { status, headers, json }: PlainResponse): void => {
  const header = (name: string) => headers.get(name) ?? 'none'
  if (status < 400 && tagged.has(operation))
    assert(strongEtag.test(header('etag')), `${what}: the response must have a strong ETag`, header('etag'))
  if (status === 201 || operation === 'notifications.send') {
    const hasLocation = status >= 400 || header('location').endsWith(`/${json.id}`)
    assert(hasLocation, `${what}: Location must be the created resource's path`, header('location'))
  }
}

/**
 * Validates a response. Its headers and media type must follow the rules for all responses, and its status and body
 * must match the operation's declaration in the contract.
 *
 * @param named The operation; `undefined` if the request matches no operation.
 * @throws {ConformanceFailure} If the response violates the contract.
 */
export const verifyResponse = (named: NamedRoute | undefined, request: { method: string; path: string }, response: PlainResponse): void => {
  const { status, headers, json } = response
  const what = `${named?.operation ?? `${request.method} ${request.path}`}, ${status}`
  assert(headers.get('x-request-id'), `${what}: the response has no X-Request-Id`)
  if (request.method === 'HEAD') return
  verifyBody(what, response)
  if (named) {
    try {
      checkResponse(named, status, json)
    } catch (error) {
      throw new ConformanceFailure((error as Error).message.replace('The mock created', 'The server sent'))
    }
    verifyHeaders(what, named.operation, response)
  }
  if (status < 400) return
  assertEqual(json.request_id, headers.get('x-request-id'), `${what}: request_id in the body, which must equal X-Request-Id`)
  assertEqual(json.status, status, `${what}: status in the body`)
  if (status !== 401) return
  const challenge = headers.get('www-authenticate') ?? 'none'
  assert(challenge.startsWith('Bearer'), `${what}: WWW-Authenticate must name the Bearer scheme`, challenge)
}
