import { problemMediaType, successHeaderNames } from '@flowpost/contract'
import { checkResponse } from '../http/contract-check.ts'
import { type NamedRoute, operations } from '../http/operations.ts'
import { assert, assertEqual, ConformanceFailure } from './assertions.ts'

/** A response with its body as text and, if it is JSON, as a parsed value. */
export interface PlainResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: scenarios read contract fields, which have already been validated.
  readonly json: any
}

const routes = operations.map(({ route }) => route)

const strongEtag = /^"[\x21\x23-\x7e]+"$/

const verifyBody = (what: string, { status, headers, text }: PlainResponse): void => {
  const type = headers.get('content-type') ?? ''
  if (status === 204 || status === 304) assert(text === '', `${what}: the response must have no body`, text)
  else if (status >= 400) assert(type.startsWith(problemMediaType), `${what}: an error must have the media type ${problemMediaType}`, type)
  else if (text !== '') assert(type.startsWith('application/json'), `${what}: the body must be JSON`, type)
}

/** Verifies the `ETag` and `Location` headers of a success response against the contract. */
const verifyHeaders = (what: string, { route }: NamedRoute, { status, headers, json }: PlainResponse): void => {
  if (status >= 400) return
  const declared = successHeaderNames(route, route.metadata, status, routes)
  for (const name of ['ETag', 'Location'] as const) {
    const value = headers.get(name)
    if (!declared.includes(name)) {
      // A proxy may add a weak ETag.
      const isAllowed = value === null || (name === 'ETag' && value.startsWith('W/'))
      assert(isAllowed, `${what}: the response must have no ${name}, because the contract declares none`, value)
    } else if (name === 'ETag') assert(strongEtag.test(value ?? ''), `${what}: the response must have a strong ETag`, value)
    else assert(value?.endsWith(`/${json.id}`), `${what}: Location must end with the created resource's id`, value)
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
    verifyHeaders(what, named, response)
  }
  if (status < 400) return
  assertEqual(json.request_id, headers.get('x-request-id'), `${what}: request_id in the body must equal X-Request-Id`)
  assertEqual(json.status, status, `${what}: status in the body must equal the HTTP status`)
  if (status !== 401) return
  const challenge = headers.get('www-authenticate') ?? 'none'
  assert(challenge.startsWith('Bearer'), `${what}: WWW-Authenticate must name the Bearer scheme`, challenge)
}
