import { changedFields, type RecordedKind, type RecordedSettings } from '@flowpost/contract/rules'
import type { Author } from '../../auth/principal.ts'
import type { Queryable } from '../../database/database.ts'
import { newUuidAt, type Uuid } from '../../shared/ids.ts'

/** A resource's settings, with the times of its creation and last change. */
export interface ResourceState {
  readonly settings: RecordedSettings
  readonly created_at: string | Date
  readonly updated_at: string | Date
}

/** A change to a resource. `before` is `null` for a creation, and `after` is `null` for a deletion. */
export interface SettingsChange {
  readonly kind: RecordedKind
  readonly projectId: Uuid
  readonly resourceId: Uuid
  /** The time of the change. It must be later than the resource's previous change. */
  readonly at: Date
  readonly before: ResourceState | null
  readonly after: ResourceState | null
  /** JSON Pointers to the secrets that the request sets; see `changedFields`. @default none */
  readonly secretFields?: readonly string[]
}

/** The columns to insert into `settings_history`, in the order in which every insert statement lists its values. */
export const historyColumns = `id, user_id, project_id, kind, action, resource_id, key, changed_at, changed_by, request_id, fields,
  before, after, resource_created_at, previous_updated_at`

const insert = {
  name: 'record-settings-changes',
  text: `insert into settings_history (${historyColumns})
    select id, $2, project_id, kind, action, resource_id, key, changed_at, $3, $4, fields, before, after, resource_created_at, previous_updated_at
    from json_to_recordset($1::json) as r(id uuid, project_id uuid, kind text, action text, resource_id uuid, key text,
      changed_at timestamptz, fields text[], before text, after text, resource_created_at timestamptz, previous_updated_at timestamptz)`,
}

const nameOf = ({ key, source_type }: RecordedSettings, kind: RecordedKind): unknown => (kind === 'integration' ? source_type : key)

const actionOf = ({ before, after }: SettingsChange): 'create' | 'update' | 'delete' => {
  if (!before) return 'create'
  return after ? 'update' : 'delete'
}

const rowOf = (change: SettingsChange) => {
  const { kind, projectId, resourceId, at, before, after, secretFields } = change
  const known = after ?? before
  if (!known)
    throw new Error('A change in the settings history must contain the settings before the change, the settings after it, or both.')
  const fields = before && after ? changedFields(before.settings, after.settings, secretFields) : []
  if (before && after && fields.length === 0) return []
  return [
    {
      id: newUuidAt(at),
      project_id: projectId,
      kind,
      action: actionOf(change),
      resource_id: resourceId,
      key: nameOf(known.settings, kind),
      changed_at: at,
      fields,
      before: before && JSON.stringify(before.settings),
      after: after && JSON.stringify(after.settings),
      resource_created_at: (before ?? known).created_at,
      previous_updated_at: before?.updated_at,
    },
  ]
}

/**
 * Records settings changes in one statement, in the transaction that makes the changes. Skips updates that change no
 * field.
 */
export const recordChanges = async (on: Queryable, author: Author, changes: readonly SettingsChange[]): Promise<void> => {
  const rows = changes.flatMap(rowOf)
  if (rows.length > 0) await on.query(insert, [JSON.stringify(rows), author.userId, author.keyId ?? null, author.requestId])
}
