import { ApiError } from '@flowpost/contract/server'
import { isEmptyBody, isJsonMediaType, parseJsonBody } from '@flowpost/domain'
import { isSchema, type Route } from './operations.ts'

/** A field of an operation that takes none would be dropped silently, so only an empty body is taken. */
const requireEmptyBody = (bytes: Uint8Array): void => {
  if (isEmptyBody(bytes)) return
  throw new ApiError('validation_failed', 'The request has a fault.', {
    errors: [{ in: 'body', pointer: '', code: 'unknown_field', message: 'This operation takes no body.' }],
  })
}

/**
 * Reads the JSON body of a request, if its operation takes one.
 * @returns `undefined` when there is none.
 * @throws ApiError `unsupported_media_type`, `body_too_large`, `invalid_json`, or `validation_failed` for a body that
 * is not wanted.
 */
export const readJson = (route: Route, headers: Headers, bytes: Uint8Array, limitBytes: number): unknown => {
  const takesBody = isSchema(route.body)
  // A body of GET and DELETE means nothing (RFC 9110, section 9.3.1).
  if (bytes.length === 0 || (!takesBody && route.method !== 'POST')) return undefined
  if (!takesBody) {
    requireEmptyBody(bytes)
    return undefined
  }
  if (!isJsonMediaType(headers.get('content-type') ?? ''))
    throw new ApiError('unsupported_media_type', 'Send the body as JSON in UTF-8, with `Content-Type: application/json`.')
  if ((headers.get('content-encoding') ?? 'identity').toLowerCase() !== 'identity')
    throw new ApiError('unsupported_media_type', 'Send the body without `Content-Encoding`.')
  if (bytes.length > limitBytes) throw new ApiError('body_too_large', `The body must have at most ${limitBytes} bytes.`)
  const parsed = parseJsonBody(bytes)
  if (!parsed.ok) throw new ApiError('invalid_json', parsed.detail)
  return parsed.value
}
