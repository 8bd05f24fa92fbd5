/** The raw body of a request. A parsed body cannot be verified, because serializing it again can change its bytes. */
export type RawBody = string | Uint8Array | ArrayBuffer

const encoder = new TextEncoder()

const toBase64 = (bytes: ArrayBuffer): string => btoa(String.fromCharCode(...new Uint8Array(bytes)))

/**
 * Decodes a signing secret. Accepts base64 and base64url, with or without `whsec_` and padding.
 *
 * @throws {TypeError} When the secret is not 24 to 64 bytes in base64. The message does not contain the secret.
 */
export const decodeSecret = (secret: unknown): Uint8Array<ArrayBuffer> => {
  const problem = 'secret must be the signing secret of an event endpoint: whsec_ followed by 24 to 64 bytes in base64.'
  if (typeof secret !== 'string' || secret.length > 200) throw new TypeError(problem)
  const base64 = secret
    .trim()
    .replace(/^whsec_/, '')
    .replace(/=+$/, '')
    .replace(/-/g, '+')
    .replace(/_/g, '/')
  // The length of unpadded base64 modulo 4 is never 1.
  if (!/^[A-Za-z0-9+/]+$/.test(base64) || base64.length % 4 === 1) throw new TypeError(problem)
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  if (bytes.length < 24 || bytes.length > 64) throw new TypeError(problem)
  return bytes
}

/**
 * Converts a body to bytes.
 *
 * @throws {TypeError} When the body is neither a string nor bytes, for example because it was parsed.
 */
export const toBytes = (body: unknown): Uint8Array => {
  if (typeof body === 'string') return encoder.encode(body)
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  // `instanceof ArrayBuffer` would be false for a buffer from another JavaScript realm, for example in a test runner.
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') return new Uint8Array(body as ArrayBuffer)
  const kind = body === null ? 'null' : typeof body
  throw new TypeError(
    `body must be the raw request body, a string or bytes, not ${kind === 'object' ? 'a parsed object' : kind}. Read it before a parser does, for example with express.raw({ type: () => true }).`,
  )
}

/** Returns the bytes that a signature covers: id, timestamp and body, separated by dots. */
export const signedContent = (id: string, timestamp: number, body: Uint8Array): Uint8Array<ArrayBuffer> => {
  const prefix = encoder.encode(`${id}.${timestamp}.`)
  const content = new Uint8Array(prefix.length + body.length)
  content.set(prefix)
  content.set(body, prefix.length)
  return content
}

/** Returns the HMAC-SHA256 of the content in base64. */
export const sign = async (secret: Uint8Array<ArrayBuffer>, content: Uint8Array<ArrayBuffer>): Promise<string> => {
  const key = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return toBase64(await crypto.subtle.sign('HMAC', key, content))
}

/** Compares two signatures in constant time. Only a difference in length ends the comparison early. */
export const isSameSignature = (a: string, b: string): boolean => {
  if (a.length !== b.length) return false
  let difference = 0
  for (let index = 0; index < a.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index)
  return difference === 0
}
