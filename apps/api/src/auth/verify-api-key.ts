import { timingSafeEqual } from 'node:crypto'
import type { KeyMode, Scope } from '@flowpost/contract'
import { projectTag, userTag } from '../cache-tags.ts'
import { type Database, instant } from '../database/database.ts'
import type { Cache } from '../shared/cache.ts'
import type { Clock } from '../shared/clock.ts'
import { toId, type Uuid } from '../shared/ids.ts'
import type { VerifyToken } from './authenticate.ts'
import { isOidcUser, type Principal } from './principal.ts'
import { hashTokenToText } from './token.ts'

interface KeyRow {
  readonly id: Uuid
  readonly user_id: string
  readonly token_hash: Uint8Array
  readonly scopes: Scope[]
  readonly mode: KeyMode
  readonly root_id: Uuid | null
  readonly project_id: Uuid | null
  readonly expires_at: string | null
}

const findKey = {
  name: 'find-key',
  text: `select id, user_id, root_id, token_hash, scopes, mode, project_id, expires_at from api_keys where token_hash = $1 and revoked_at is null`,
}

const toPrincipal = (row: KeyRow): Principal & { readonly keyId: Uuid } => ({
  userId: row.user_id,
  scopes: row.scopes,
  mode: row.mode,
  keyId: row.id,
  credentialId: toId('apiKey', row.id),
  // All keys of an OIDC user were created with the user's tokens, directly or indirectly, so they share one limit.
  rateLimitKey: isOidcUser(row.user_id) ? row.user_id : toId('apiKey', row.root_id ?? row.id),
  ...(row.project_id === null ? {} : { projectId: row.project_id }),
  ...(row.expires_at === null ? {} : { expiresAt: instant(row.expires_at) }),
})

// The approximate size of a cached principal, in bytes.
const principalBytes = 500

/**
 * Creates the API key verifier. Principals are cached briefly, keyed by the hash of their API key. When a key is
 * revoked, its principal is removed from the cache of every process.
 * @param deps.onUse called with the key's id whenever a valid key is used.
 */
export const createApiKeyVerifier = (deps: {
  database: Database
  clock: Clock
  cache: Cache
  onUse: (keyId: Uuid) => void
}): VerifyToken => {
  const { database, clock, cache } = deps
  const find = async (hash: Buffer) => {
    const [row] = await database.query<KeyRow>(findKey, [hash])
    // The index lookup already matched the hash. The constant-time comparison is defense in depth.
    if (!row || !timingSafeEqual(hash, row.token_hash)) return undefined
    const tags = [userTag(row.user_id), ...(row.project_id === null ? [] : [projectTag(row.project_id)])]
    return { value: toPrincipal(row), tags, bytes: principalBytes }
  }
  return async (token) => {
    if (!token.startsWith('fp_')) return undefined
    const hash = hashTokenToText(token)
    const principal = await cache.get(`key:${hash}`, () => find(Buffer.from(hash, 'base64')))
    if (!principal || (principal.expiresAt && principal.expiresAt <= clock.now())) return undefined
    deps.onUse(principal.keyId)
    return principal
  }
}
