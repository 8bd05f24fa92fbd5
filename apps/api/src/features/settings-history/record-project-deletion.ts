import type { Author } from '../../auth/principal.ts'
import type { Queryable } from '../../database/database.ts'
import { type Clock, timeOfChange } from '../../shared/clock.ts'
import { firstUuidOf, type Uuid } from '../../shared/ids.ts'
import { historyColumns } from './record-changes.ts'
import { endpointSettingsSql, flowSettingsSql, integrationSettingsSql } from './recorded-settings-sql.ts'

const timeLength = '00000000-0000-'.length

// Copies the settings within the database, because a project may have too many flows to read into this process. The entry of
// the project gets a higher id than the other new entries, so that lists show it first.
const record = `insert into settings_history (${historyColumns})
  select overlay(gen_random_uuid()::text placing ($3 || case when kind = 'project' then '7fff'
        else '7' || lpad(to_hex(floor(random() * 4095)::int), 3, '0') end) from 1 for ${timeLength + 4})::uuid,
    $2, $1, kind, 'delete', resource_id, key, $4, $5, $6, '{}', before, null, created_at, updated_at
  from (
    select 'flow' as kind, f.id as resource_id, f.key, ${flowSettingsSql('f')} as before, f.created_at, f.updated_at
    from flows f where f.project_id = $1
    union all
    select 'integration', i.id, i.source_type, ${integrationSettingsSql('i')}, i.created_at, i.updated_at
    from integrations i where i.project_id = $1
    union all
    select 'event_endpoint', e.id, e.key, ${endpointSettingsSql('e')}, e.created_at, e.updated_at
    from event_endpoints e where e.project_id = $1
    union all
    select 'project', p.id, p.key, json_build_object('key', p.key, 'name', p.name)::text, p.created_at, p.updated_at
    from projects p where p.id = $1
  ) deleted`

// Locks the project's flows and endpoints, so that they cannot change after they are recorded and before they are deleted. The
// integrations need no lock, because their settings change only in transactions that lock the project. Returns the latest
// `updated_at` of the flows, endpoints and integrations.
const lock = `select greatest(
    (select max(updated_at) from (select updated_at from flows where project_id = $1 order by id for update) f),
    (select max(updated_at) from (select updated_at from event_endpoints where project_id = $1 order by id for update) e),
    (select max(updated_at) from integrations where project_id = $1)
  ) as updated_at`

/**
 * Records the deletion of a project and of its flows, integrations and event endpoints in one statement. The caller must
 * have locked the project, and must delete it afterwards.
 */
export const recordProjectDeletion = async (
  on: Queryable,
  clock: Clock,
  author: Author,
  project: { readonly id: Uuid; readonly updated_at: string | Date },
): Promise<void> => {
  const [locked] = await on.query<{ updated_at: string | null }>(lock, [project.id])
  const changes = [project.updated_at, locked?.updated_at ?? project.updated_at].map((updated_at) => timeOfChange(clock, { updated_at }))
  const at = changes.reduce((a, b) => (b > a ? b : a))
  await on.query(record, [project.id, author.userId, firstUuidOf(at).slice(0, timeLength), at, author.keyId ?? null, author.requestId])
}
