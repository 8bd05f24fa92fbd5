import { ApiError, validationFailed } from './api-error.ts'

const maxDepth = 32

/** The maximum body size, in bytes, for operations that take no body. Leaves room for `{}` and white space. */
export const maxEmptyBodyBytes = 64

const isJsonMediaType = (contentType: string): boolean => {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  if (type.trim() !== 'application/json') return false
  return parameters.every((parameter) => {
    const [name = '', value = ''] = parameter.split('=')
    return name.trim() !== 'charset' || /^"?utf-?8"?$/.test(value.trim())
  })
}

/**
 * Rejects a request whose headers declare anything but uncompressed JSON in UTF-8.
 * @throws ApiError `unsupported_media_type`.
 */
export const requireJson = (contentType: string | null | undefined, contentEncoding: string | null | undefined): void => {
  if (!isJsonMediaType(contentType ?? ''))
    throw new ApiError('unsupported_media_type', 'Send the body as JSON in UTF-8, with `Content-Type: application/json`.')
  if ((contentEncoding ?? 'identity').toLowerCase() !== 'identity')
    throw new ApiError('unsupported_media_type', 'Send the body without `Content-Encoding`.')
}

/** Returns the error for a body that exceeds the limit. */
export const bodyTooLarge = (limitBytes: number): ApiError =>
  new ApiError('body_too_large', `The body must not exceed ${limitBytes} bytes.`)

/**
 * Rejects a body sent to an operation that takes none, so that no field is silently ignored. Accepts white space and `{}`.
 * @param bytes The body; `undefined` if it is larger than {@link maxEmptyBodyBytes}.
 * @throws ApiError `validation_failed`.
 */
export const requireEmptyBody = (bytes: Uint8Array | undefined): void => {
  const isEmpty = bytes && bytes.length <= maxEmptyBodyBytes && /^\s*(?:\{\s*\})?\s*$/.test(new TextDecoder().decode(bytes))
  if (!isEmpty) throw validationFailed([{ in: 'body', pointer: '', code: 'unknown_field', message: 'This operation takes no body.' }])
}

/**
 * Returns an error message if a parsed body has the key `__proto__`, or is nested deeper than any schema allows. The key
 * is rejected because assigning to it replaces an object's prototype. The keys `constructor` and `prototype` are valid, for
 * example in a notification's metadata. They are dangerous only when objects are merged recursively, which Flowpost never
 * does.
 */
const findDanger = (value: unknown, depth: number): string | undefined => {
  if (value === null || typeof value !== 'object') return undefined
  if (depth > maxDepth) return `The body must not be nested deeper than ${maxDepth} levels.`
  for (const key of Object.keys(value)) {
    if (key === '__proto__') return 'The body must not have a key named "__proto__".'
    const danger = findDanger((value as Record<string, unknown>)[key], depth + 1)
    if (danger !== undefined) return danger
  }
  return undefined
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/**
 * Parses a JSON body in UTF-8.
 * @throws ApiError `invalid_json` if the body is not valid JSON in UTF-8, has the key `__proto__`, or is nested deeper than
 * 32 levels.
 */
export const parseJsonBody = (bytes: Uint8Array): unknown => {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch (cause) {
    throw new ApiError('invalid_json', 'The body is not valid UTF-8.', { cause })
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    const reason = (cause as Error).message.replace(/\s+/g, ' ').slice(0, 200)
    throw new ApiError('invalid_json', `The body is not valid JSON: ${reason}`, { cause })
  }
  const danger = findDanger(value, 1)
  if (danger !== undefined) throw new ApiError('invalid_json', danger)
  return value
}
