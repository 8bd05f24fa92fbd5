import type { Request, RequestHandler } from 'express'
import { ApiError } from '../shared/api-error.ts'

const deepest = 32
const dangerousKeys = new Set(['__proto__', 'constructor', 'prototype'])

const isJson = (contentType: string): boolean => {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  if (type.trim() !== 'application/json') return false
  return parameters.every((parameter) => {
    const [name = '', value = ''] = parameter.split('=')
    return name.trim() !== 'charset' || /^"?utf-?8"?$/.test(value.trim())
  })
}

const hasBody = (request: Request): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0

const tooLarge = (limitBytes: number): ApiError =>
  new ApiError('body_too_large', `The body must have at most ${limitBytes} bytes.`, { headers: { Connection: 'close' } })

/** Reads at most `limitBytes`, and no more than that into memory. */
const readBytes = async (request: Request, limitBytes: number): Promise<Buffer> => {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limitBytes) throw tooLarge(limitBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
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

const parse = (bytes: Buffer): unknown => {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch (error) {
    throw new ApiError('invalid_json', 'The body is not valid UTF-8.', { cause: error })
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new ApiError('invalid_json', `The body is not valid JSON: ${(error as Error).message.replace(/\s+/g, ' ').slice(0, 200)}`, {
      cause: error,
    })
  }
  refuseDangerous(value, 1)
  return value
}

/** Reads the JSON body of a request, if it has one, into `request.body`. Runs after authentication. */
export const jsonBody =
  (limitBytes: number): RequestHandler =>
  async (request, _response, next) => {
    if (hasBody(request)) {
      if (!isJson(request.headers['content-type'] ?? ''))
        throw new ApiError('unsupported_media_type', 'Send the body as JSON in UTF-8, with `Content-Type: application/json`.')
      if ((request.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity')
        throw new ApiError('unsupported_media_type', 'Send the body without `Content-Encoding`.')
      request.body = parse(await readBytes(request, limitBytes))
    }
    next()
  }
