import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { EncryptionKey } from './encryption-keys.ts'

/** Why something sealed cannot be opened. */
export type UnreadableReason = 'unknown_key' | 'not_authentic' | 'malformed'

/** Thrown for something sealed that cannot be opened. Says why, and names the key, never the content. */
export class SecretUnreadableError extends Error {
  readonly reason: UnreadableReason
  /** The key that it says it was sealed with, where it says so. */
  readonly keyId: string | undefined

  constructor(reason: UnreadableReason, keyId?: string) {
    super(
      {
        unknown_key: `It was sealed with the key ${JSON.stringify(keyId)}, which this process does not have.`,
        not_authentic: `It was sealed with another key that has the id ${JSON.stringify(keyId)}, for another place, or it was changed.`,
        malformed: 'It is not in the form of something sealed.',
      }[reason],
    )
    this.name = 'SecretUnreadableError'
    this.reason = reason
    this.keyId = keyId
  }
}

/** Seals secrets for a place and opens them there, and nowhere else. */
export interface Encryption {
  /** The id of the key that seals; `undefined` when there is none, so that nothing can be sealed. */
  readonly sealingKeyId: string | undefined
  /**
   * Seals a text for a place: what is sealed opens only with the same `place`, so that a copy of it elsewhere is worthless.
   * @throws Error when there is no key to seal with.
   */
  seal(text: string, place: readonly string[]): Buffer
  /** @throws SecretUnreadableError */
  open(sealed: Uint8Array, place: readonly string[]): string
}

const cipher = 'aes-256-gcm'
const version = 1
// NIST SP 800-38D, section 8.2.2: random nonces of 96 bits, good for 2^32 messages under one key.
const nonceBytes = 12
const tagBytes = 16

interface Envelope {
  readonly keyId: string
  readonly header: Buffer
  readonly nonce: Buffer
  readonly content: Buffer
  readonly tag: Buffer
}

/** Version, length of the key's id, the id. Authenticated together with the place. */
const headerOf = (keyId: string): Buffer => Buffer.concat([Buffer.of(version, Buffer.byteLength(keyId)), Buffer.from(keyId)])

const unpack = (sealed: Uint8Array): Envelope => {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
  const headerBytes = 2 + (bytes[1] ?? 0)
  if (bytes[0] !== version || bytes.length < headerBytes + nonceBytes + tagBytes) throw new SecretUnreadableError('malformed')
  return {
    keyId: bytes.toString('utf8', 2, headerBytes),
    header: bytes.subarray(0, headerBytes),
    nonce: bytes.subarray(headerBytes, headerBytes + nonceBytes),
    content: bytes.subarray(headerBytes + nonceBytes, -tagBytes),
    tag: bytes.subarray(-tagBytes),
  }
}

/** JSON, because a list of strings then has one form only: no two places share one. */
const additionalData = (header: Buffer, place: readonly string[]): Buffer => Buffer.concat([header, Buffer.from(JSON.stringify(place))])

/**
 * The id of the key that something was sealed with, which anybody may know.
 * @throws SecretUnreadableError when it is not in the form of something sealed.
 */
export const sealingKeyOf = (sealed: Uint8Array): string => unpack(sealed).keyId

/**
 * A encryption on AES-256-GCM (NIST SP 800-38D). What it seals is one byte of version, the length and id of
 * the key, a random nonce of 12 bytes, the encrypted text, and a tag of 16 bytes; version, id and place are authenticated.
 *
 * @param keys The first seals, all open.
 */
export const createEncryption = (keys: readonly EncryptionKey[]): Encryption => {
  const byId = new Map(keys.map(({ id, key }) => [id, key]))
  const [sealing] = keys
  return {
    sealingKeyId: sealing?.id,
    seal: (text, place) => {
      if (!sealing) throw new Error('There is no key to seal with.')
      const header = headerOf(sealing.id)
      const nonce = randomBytes(nonceBytes)
      const sealer = createCipheriv(cipher, sealing.key, nonce, { authTagLength: tagBytes }).setAAD(additionalData(header, place))
      return Buffer.concat([header, nonce, sealer.update(text, 'utf8'), sealer.final(), sealer.getAuthTag()])
    },
    open: (sealed, place) => {
      const { keyId, header, nonce, content, tag } = unpack(sealed)
      const key = byId.get(keyId)
      if (!key) throw new SecretUnreadableError('unknown_key', keyId)
      try {
        const opener = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes })
        opener.setAAD(additionalData(header, place)).setAuthTag(tag)
        return Buffer.concat([opener.update(content), opener.final()]).toString('utf8')
      } catch {
        throw new SecretUnreadableError('not_authentic', keyId)
      }
    },
  }
}
