import { createSecretKey, type KeyObject } from 'node:crypto'

/** A key that seals secrets. The bytes are behind a `KeyObject`, which no log and no dump of a configuration shows. */
export interface EncryptionKey {
  /** Names the key in what it has sealed. Not a secret. */
  readonly id: string
  /** 256 bits, for AES-256-GCM. */
  readonly key: KeyObject
}

const idPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/
const keyBytes = 32

/** The key of a canonical base64 text of 32 bytes, padded or not; `undefined` for anything else. */
const readKey = (text: string): KeyObject | undefined => {
  const bytes = Buffer.from(text, 'base64')
  const isCanonical = bytes.toString('base64').replace(/=+$/, '') === text.replace(/=$/, '')
  return isCanonical && bytes.length === keyBytes ? createSecretKey(bytes) : undefined
}

/**
 * Reads `<id>:<base64 of 32 bytes>`, several separated by commas. A fault names an entry by its place
 * only, because whatever stands there may be a key.
 */
export const parseEncryptionKeys = (text: string): { keys: EncryptionKey[]; faults: string[] } => {
  const faults: string[] = []
  const keys: EncryptionKey[] = []
  for (const [index, entry] of text.split(',').entries()) {
    const at = entry.indexOf(':')
    const id = entry.slice(0, at).trim()
    const key = readKey(entry.slice(at + 1).trim())
    const place = `entry ${index + 1}`
    if (at < 1) faults.push(`${place} must be <id>:<base64 of 32 bytes>`)
    else if (!idPattern.test(id)) faults.push(`${place}: the id must be 1 to 32 of A-Z a-z 0-9 . _ - and begin with a letter or a digit`)
    else if (keys.some((other) => other.id === id)) faults.push(`${place}: the id of another entry is used again`)
    else if (!key) faults.push(`${place}: the key must be the base64 of exactly 32 bytes, as \`openssl rand -base64 32\` makes one`)
    else keys.push({ id, key })
  }
  return { keys, faults }
}
