import { timingSafeEqual } from 'node:crypto'
import type { Scope } from '@flowpost/contract'
import { type Database, instant } from '../../database/database.ts'
import type { VerifyToken } from '../../http/authenticate.ts'
import type { Clock } from '../../shared/clock.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import { hashToken } from './token.ts'

interface KeyRow {
  readonly id: Uuid
  readonly user_id: string
  readonly token_hash: Uint8Array
  readonly scopes: Scope[]
  readonly project_id: Uuid | null
  readonly expires_at: string | null
}

/**
 * Verifies API keys against the database, so that a revoked one is refused everywhere at once.
 * @param deps.onUse Told of every key that was good.
 */
export const createApiKeyVerifier =
  (deps: { database: Database; clock: Clock; onUse: (keyId: Uuid) => void }): VerifyToken =>
  async (token) => {
    if (!token.startsWith('fp_')) return undefined
    const hash = hashToken(token)
    const [row] = await deps.database.query<KeyRow>(
      `select id, user_id, token_hash, scopes, project_id, expires_at from api_keys
       where token_hash = $1 and revoked_at is null and (expires_at is null or expires_at > $2)`,
      [hash, deps.clock.now()],
    )
    // The index has found it by the hash of 256 random bits already; compared in constant time all the same.
    if (!row || !timingSafeEqual(hash, row.token_hash)) return undefined
    deps.onUse(row.id)
    return {
      userId: row.user_id,
      scopes: row.scopes,
      keyId: row.id,
      credentialId: toId('apiKey', row.id),
      ...(row.project_id === null ? {} : { projectId: row.project_id }),
      ...(row.expires_at === null ? {} : { expiresAt: instant(row.expires_at) }),
    }
  }
