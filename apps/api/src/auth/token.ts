import { hash, randomBytes } from 'node:crypto'
import { idPrefixes } from '@flowpost/contract'
import { toId, type Uuid } from '../shared/ids.ts'

const secretBytes = 32

/** Returns the SHA-256 of a token, which is stored instead of the token. With 256 random bits, a token needs no slow hash. */
export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer')

/** Returns the same hash as {@link hashToken}, in base64. It is faster, because it allocates no buffer. */
export const hashTokenToText = (token: string): string => hash('sha256', token, 'base64')

/** Creates a token `fp_<id>_<secret>`. The id identifies a leaked token, so that it can be revoked. */
export const createToken = (keyId: Uuid): string =>
  `fp_${toId('apiKey', keyId).slice(idPrefixes.apiKey.length + 1)}_${randomBytes(secretBytes).toString('base64url')}`
