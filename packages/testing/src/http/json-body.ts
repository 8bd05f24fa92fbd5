import { bodyTooLarge, parseJsonBody, requireEmptyBody, requireJson } from '@flowpost/contract/rules'
import { isSchema, type Route } from './operations.ts'

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
  requireJson(headers.get('content-type'), headers.get('content-encoding'))
  if (bytes.length > limitBytes) throw bodyTooLarge(limitBytes)
  return parseJsonBody(bytes)
}
