import { hash, randomBytes } from 'node:crypto'
import { idPrefixes } from '@flowpost/contract'
import { toId, type Uuid } from '../shared/ids.ts'

const secretBytes = 32

/** What is stored of a token: the SHA-256 of the whole of it. The secret's 256 random bits need no slow hash. */
export const hashToken = (token: string): Buffer => hash('sha256', token, 'buffer')

/** As {@link hashToken}, in base64: for every request, as no buffer is made. */
export const hashTokenToText = (token: string): string => hash('sha256', token, 'base64')

/** A new token: `fp_<id>_<secret>`, so that a leaked one can be told and revoked by its id. */
export const makeToken = (keyId: Uuid): string =>
  `fp_${toId('apiKey', keyId).slice(idPrefixes.apiKey.length + 1)}_${randomBytes(secretBytes).toString('base64url')}`
