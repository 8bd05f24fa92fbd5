import { createSecretKey, type KeyObject } from 'node:crypto'

/** A key that encrypts secrets. The bytes are in a `KeyObject`, so logs and configuration dumps do not show them. */
export interface EncryptionKey {
  /** The key's id, which is not a secret. Each value that the key encrypts contains the id. */
  readonly id: string
  /** 256 bits, for AES-256-GCM. */
  readonly key: KeyObject
}

const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/
const keyBytes = 32

/** Parses the canonical base64 of 32 bytes, padded or not. Returns `undefined` for any other text. */
const parseKey = (text: string): KeyObject | undefined => {
  const bytes = Buffer.from(text, 'base64')
  const isCanonical = bytes.toString('base64').replace(/=+$/, '') === text.replace(/=$/, '')
  return isCanonical && bytes.length === keyBytes ? createSecretKey(bytes) : undefined
}

/**
 * Parses comma-separated `<id>:<base64 of 32 bytes>` entries. Each returned issue identifies its entry only by position,
 * because the entry may contain a key.
 */
export const parseEncryptionKeys = (text: string): { keys: EncryptionKey[]; issues: string[] } => {
  const issues: string[] = []
  const keys: EncryptionKey[] = []
  for (const [index, entry] of text.split(',').entries()) {
    const colon = entry.indexOf(':')
    const id = entry.slice(0, colon).trim()
    const key = parseKey(entry.slice(colon + 1).trim())
    const position = `entry ${index + 1}`
    if (colon < 1) issues.push(`${position} must be <id>:<base64 of 32 bytes>`)
    else if (!idPattern.test(id))
      issues.push(`${position}: the id must have 1 to 32 characters of A-Z a-z 0-9 . _ - and begin with a letter or a digit`)
    else if (keys.some((other) => other.id === id)) issues.push(`${position}: another entry has the same id`)
    else if (!key) issues.push(`${position}: the key must be the base64 of exactly 32 bytes; \`openssl rand -base64 32\` creates one`)
    else keys.push({ id, key })
  }
  return { keys, issues }
}
