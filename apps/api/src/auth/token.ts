import { hash, randomBytes } from 'node:crypto'
import { idPrefixes } from '@flowpost/contract'
import { toId, type Uuid } from '../shared/ids.ts'

const secretBytes = 32

/**
 * Returns the SHA-256 of a token. The hash is stored instead of the token. It need not be a slow hash, because a token has
 * 256 random bits.
 */
export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer')

/** Returns the same hash as {@link hashToken}, in base64. This function is faster, because it allocates no buffer. */
export const hashTokenToText = (token: string): string => hash('sha256', token, 'base64')

/** Creates a token `fp_<id>_<secret>`. From the id, an operator knows which key to revoke when a token has leaked. */
export const createToken = (keyId: Uuid): string =>
  `fp_${toId('apiKey', keyId).slice(idPrefixes.apiKey.length + 1)}_${randomBytes(secretBytes).toString('base64url')}`
