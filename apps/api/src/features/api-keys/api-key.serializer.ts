import type { ApiKey, KeyMode, Scope } from '@flowpost/contract'
import type { z } from 'zod'
import { timestamp, timestampOrNull } from '../../database/database.ts'
import { toId, type Uuid } from '../../shared/ids.ts'

/** The API key columns that API responses and the operator's commands need. */
export interface ApiKeyRow {
  readonly id: Uuid
  readonly user_id: string
  readonly name: string
  readonly scopes: Scope[]
  readonly mode: KeyMode
  readonly project_id: Uuid | null
  readonly expires_at: string | Date | null
  readonly last_used_at: string | Date | null
  readonly created_at: string | Date
}

/** Returns the API representation of an API key, without its token. */
export const toApiKey = (row: ApiKeyRow): z.output<typeof ApiKey> => ({
  id: toId('apiKey', row.id),
  name: row.name,
  scopes: row.scopes,
  mode: row.mode,
  project_id: row.project_id === null ? null : toId('project', row.project_id),
  expires_at: timestampOrNull(row.expires_at),
  last_used_at: timestampOrNull(row.last_used_at),
  created_at: timestamp(row.created_at),
})
