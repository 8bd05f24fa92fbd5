import type { IdKind, SettingsHistoryEntry } from '@flowpost/contract'
import type { z } from 'zod'
import { timestamp } from '../../database/database.ts'
import { toId, type Uuid } from '../../shared/ids.ts'

/** A stored settings history entry. */
export interface HistoryRow {
  readonly id: Uuid
  readonly project_id: Uuid
  readonly kind: string
  readonly action: string
  readonly resource_id: Uuid
  readonly key: string | null
  readonly changed_at: string
  readonly changed_by: Uuid | null
  readonly request_id: string
  readonly fields: readonly string[]
  /** The settings before the change as JSON; `null` for a creation. */
  readonly before: string | null
  /** The settings after the change as JSON; `null` for a deletion. */
  readonly after: string | null
}

// An integration has no id in the API.
const idKinds: Readonly<Record<string, IdKind>> = { project: 'project', flow: 'flow', event_endpoint: 'eventEndpoint' }

const parseSettings = (json: string | null): Record<string, unknown> | null =>
  json === null ? null : (JSON.parse(json) as Record<string, unknown>)

/** Returns the API representation of a settings history entry. */
export const toHistoryEntry = (row: HistoryRow): z.output<typeof SettingsHistoryEntry> => {
  const idKind = idKinds[row.kind]
  return {
    id: toId('settingsHistoryEntry', row.id),
    project_id: toId('project', row.project_id),
    changed_at: timestamp(row.changed_at),
    action: row.action,
    kind: row.kind,
    resource_id: idKind ? toId(idKind, row.resource_id) : null,
    key: row.key,
    changed_by: row.changed_by === null ? null : toId('apiKey', row.changed_by),
    request_id: row.request_id,
    fields: [...row.fields],
    before: parseSettings(row.before),
    after: parseSettings(row.after),
  }
}
