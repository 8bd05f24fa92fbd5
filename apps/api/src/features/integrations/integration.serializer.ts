import type { Integration } from '@flowpost/contract'
import { recordedIntegration } from '@flowpost/contract/rules'
import type { z } from 'zod'
import { timestamp, timestampOrNull } from '../../database/database.ts'
import type { Uuid } from '../../shared/ids.ts'
import type { ResourceState } from '../settings-history/record-changes.ts'

/** The integration columns that API responses need. The secrets are not among them. */
export interface IntegrationRow {
  readonly id: Uuid
  readonly source_type: string
  readonly settings: Record<string, unknown>
  readonly secret_names: readonly string[]
  readonly inbound_rotated_at: string | Date | null
  readonly previous_inbound_expires_at: string | Date | null
  readonly created_at: string | Date
  readonly updated_at: string | Date
}

/** Returns the API representation of an integration. It contains the names of the secrets, not their values. */
export const toIntegration = (row: IntegrationRow): z.output<typeof Integration> => ({
  source_type: row.source_type,
  settings: row.settings,
  secrets: Object.fromEntries(row.secret_names.map((name) => [name, { set: true as const }])),
  inbound:
    row.inbound_rotated_at === null
      ? null
      : { rotated_at: timestamp(row.inbound_rotated_at), previous_expires_at: timestampOrNull(row.previous_inbound_expires_at) },
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})

/** Returns an integration's state for the settings history. */
export const integrationState = (row: IntegrationRow): ResourceState => ({
  settings: recordedIntegration({ source_type: row.source_type, settings: row.settings, secretNames: row.secret_names }),
  created_at: row.created_at,
  updated_at: row.updated_at,
})
