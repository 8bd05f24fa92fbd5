import { ApiError } from './api-error.ts'
import { isSchema, type Route } from './operations.ts'

const deepest = 32
// Enough for `{}` as anybody writes it.
const emptyLimitBytes = 64
const dangerousKeys = new Set(['__proto__', 'constructor', 'prototype'])

const isJson = (contentType: string): boolean => {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  if (type.trim() !== 'application/json') return false
  return parameters.every((parameter) => {
    const [name = '', value = ''] = parameter.split('=')
    return name.trim() !== 'charset' || /^"?utf-?8"?$/.test(value.trim())
  })
}

/** Refuses keys that could reach a prototype, and nesting that no schema of the contract has. */
const refuseDangerous = (value: unknown, depth: number): void => {
  if (value === null || typeof value !== 'object') return
  if (depth > deepest) throw new ApiError('invalid_json', `The body must not be nested deeper than ${deepest} levels.`)
  for (const [key, inner] of Object.entries(value)) {
    if (dangerousKeys.has(key)) throw new ApiError('invalid_json', `The body must not have a key named ${JSON.stringify(key)}.`)
    refuseDangerous(inner, depth + 1)
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

const parse = (bytes: Uint8Array): unknown => {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw new ApiError('invalid_json', 'The body is not valid UTF-8.')
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new ApiError('invalid_json', `The body is not valid JSON: ${(error as Error).message.replace(/\s+/g, ' ').slice(0, 200)}`)
  }
  refuseDangerous(value, 1)
  return value
}

/** A field of an operation that takes none would be dropped silently, so only an empty body is taken. */
const requireEmptyBody = (bytes: Uint8Array): void => {
  if (bytes.length <= emptyLimitBytes && /^\s*(?:\{\s*\})?\s*$/.test(new TextDecoder().decode(bytes))) return
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
  if (!isJson(headers.get('content-type') ?? ''))
    throw new ApiError('unsupported_media_type', 'Send the body as JSON in UTF-8, with `Content-Type: application/json`.')
  if ((headers.get('content-encoding') ?? 'identity').toLowerCase() !== 'identity')
    throw new ApiError('unsupported_media_type', 'Send the body without `Content-Encoding`.')
  if (bytes.length > limitBytes) throw new ApiError('body_too_large', `The body must have at most ${limitBytes} bytes.`)
  return parse(bytes)
}
