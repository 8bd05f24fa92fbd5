import { hash, randomBytes } from 'node:crypto'
import { idPrefixes, type KeyMode } from '@flowpost/contract'
import { toId, type Uuid } from '../shared/ids.ts'

const secretBytes = 32

/** Returns whether a token has the form of a test key: `fp_test_<id>_<secret>`. */
export const isTestToken = (token: string): boolean => /^fp_test_[0-7][0-9a-hjkmnp-tv-z]{25}_/.test(token)

// Older releases do not support test keys. They would treat a test key as a live key and deliver its messages. The prefix
// `test:` prevents this: older releases hash the token without the prefix, find no matching key, and reject it.
const hashedText = (token: string): string => (isTestToken(token) ? `test:${token}` : token)

/**
 * Returns the SHA-256 of a token. A test key's token is prefixed with `test:` before it is hashed. The hash is stored
 * instead of the token. A fast hash suffices, because a token contains a long random secret.
 */
export const hashToken = (token: string): Buffer => hash('sha256', hashedText(token), 'buffer')

/** Returns the same hash as {@link hashToken}, in base64. This function is faster, because it allocates no buffer. */
export const hashTokenToText = (token: string): string => hash('sha256', hashedText(token), 'base64')

/**
 * Creates a token: `fp_<id>_<secret>`, or `fp_test_<id>_<secret>` for a test key. The id tells an operator which key to
 * revoke if a token has leaked.
 */
export const createToken = (keyId: Uuid, mode: KeyMode): string => {
  const id = toId('apiKey', keyId).slice(idPrefixes.apiKey.length + 1)
  return `fp_${mode === 'test' ? 'test_' : ''}${id}_${randomBytes(secretBytes).toString('base64url')}`
}
