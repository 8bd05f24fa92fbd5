import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { EncryptionKey } from './encryption-keys.ts'

/** The reason why a value cannot be decrypted. */
export type DecryptionFailure = 'unknown_key' | 'not_authentic' | 'malformed'

/** Thrown when a value cannot be decrypted. The message states the reason and the key id, never the content. */
export class DecryptionError extends Error {
  readonly reason: DecryptionFailure
  /** The id of the key that encrypted the value; `undefined` if the value is malformed. */
  readonly keyId: string | undefined

  constructor(reason: DecryptionFailure, keyId?: string) {
    super(
      {
        unknown_key: `The value is encrypted with the key ${JSON.stringify(keyId)}, which this process does not have.`,
        not_authentic: `The value cannot be decrypted with the key ${JSON.stringify(keyId)}: the key or the context is wrong, or the value was changed.`,
        malformed: 'The value is not in the format of an encrypted value.',
      }[reason],
    )
    this.name = 'DecryptionError'
    this.reason = reason
    this.keyId = keyId
  }
}

/** Encrypts and decrypts secrets. Each encrypted value is bound to a context, such as the row that it is stored in. */
export interface Encryption {
  /** The id of the key that values are encrypted with; `undefined` if there is no key, in which case `encrypt` throws. */
  readonly primaryKeyId: string | undefined
  /**
   * Encrypts text. Decryption requires the same context (additional authenticated data), so a value that is copied to
   * another row cannot be decrypted.
   * @throws Error if there is no key.
   */
  encrypt(text: string, context: readonly string[]): Buffer
  /** Decrypts a value. @throws DecryptionError */
  decrypt(encrypted: Uint8Array, context: readonly string[]): string
}

const cipherName = 'aes-256-gcm'
const version = 1
// NIST SP 800-38D, section 8.2.2: random nonces of 96 bits are safe for 2^32 messages per key.
const nonceBytes = 12
const tagBytes = 16

interface Envelope {
  readonly keyId: string
  readonly header: Buffer
  readonly nonce: Buffer
  readonly content: Buffer
  readonly tag: Buffer
}

/**
 * Returns the header: a version byte, the length of the key id, and the key id. The header is authenticated together
 * with the context.
 */
const createHeader = (keyId: string): Buffer => Buffer.concat([Buffer.of(version, Buffer.byteLength(keyId)), Buffer.from(keyId)])

const parseEnvelope = (encrypted: Uint8Array): Envelope => {
  const bytes = Buffer.from(encrypted.buffer, encrypted.byteOffset, encrypted.byteLength)
  const headerBytes = 2 + (bytes[1] ?? 0)
  if (bytes[0] !== version || bytes.length < headerBytes + nonceBytes + tagBytes) throw new DecryptionError('malformed')
  return {
    keyId: bytes.toString('utf8', 2, headerBytes),
    header: bytes.subarray(0, headerBytes),
    nonce: bytes.subarray(headerBytes, headerBytes + nonceBytes),
    content: bytes.subarray(headerBytes + nonceBytes, -tagBytes),
    tag: bytes.subarray(-tagBytes),
  }
}

/**
 * Returns the additional authenticated data. The context is encoded as JSON, so two different contexts never result in the
 * same bytes.
 */
const createAad = (header: Buffer, context: readonly string[]): Buffer => Buffer.concat([header, Buffer.from(JSON.stringify(context))])

/**
 * Returns the id of the key that encrypted a value. The id is not a secret.
 * @throws DecryptionError for a malformed value.
 */
export const readKeyId = (encrypted: Uint8Array): string => parseEnvelope(encrypted).keyId

/**
 * Creates functions that encrypt and decrypt with AES-256-GCM (NIST SP 800-38D). An encrypted value consists of a version
 * byte, the length of the key id, the key id, a random nonce of 12 bytes, the ciphertext and a tag of 16 bytes.
 * @param keys the first key encrypts new values. Each key decrypts the values that contain its id.
 */
export const createEncryption = (keys: readonly EncryptionKey[]): Encryption => {
  const keysById = new Map(keys.map(({ id, key }) => [id, key]))
  const [primary] = keys
  return {
    primaryKeyId: primary?.id,
    encrypt: (text, context) => {
      if (!primary) throw new Error('There is no encryption key.')
      const header = createHeader(primary.id)
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(cipherName, primary.key, nonce, { authTagLength: tagBytes }).setAAD(createAad(header, context))
      return Buffer.concat([header, nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    },
    decrypt: (encrypted, context) => {
      const { keyId, header, nonce, content, tag } = parseEnvelope(encrypted)
      const key = keysById.get(keyId)
      if (!key) throw new DecryptionError('unknown_key', keyId)
      try {
        const decipher = createDecipheriv(cipherName, key, nonce, { authTagLength: tagBytes })
        decipher.setAAD(createAad(header, context)).setAuthTag(tag)
        return Buffer.concat([decipher.update(content), decipher.final()]).toString('utf8')
      } catch {
        throw new DecryptionError('not_authentic', keyId)
      }
    },
  }
}
