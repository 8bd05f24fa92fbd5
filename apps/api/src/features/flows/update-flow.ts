import type { FlowPatch, FlowUpdate } from '@flowpost/contract'
import { requireMatch } from '@flowpost/contract/rules'
import { type Channels, canonicalizeTarget, findChannelIssues } from '@flowpost/domain'
import type { z } from 'zod'
import type { Author } from '../../auth/principal.ts'
import { projectTag } from '../../cache-tags.ts'
import type { Database, UnitOfWork } from '../../database/database.ts'
import { notFound, toBodyErrors, validationFailed } from '../../shared/api-error.ts'
import { type Clock, timeOfChange } from '../../shared/clock.ts'
import { fromId, newUuidAt } from '../../shared/ids.ts'
import { getProject, projectUuid } from '../projects/project.queries.ts'
import { rejectTaken } from '../projects/reject-taken.ts'
import { historyColumns, recordChanges } from '../settings-history/record-changes.ts'
import { changedFlowFieldsSql, flowSettingsSql } from '../settings-history/recorded-settings-sql.ts'
import { FlowEntity } from './flow.entity.ts'
import { type FlowPath, flowColumns, getFlow } from './flow.queries.ts'
import { type FlowWithHealthRow, flowEtag, flowState, noHealth, toFlow } from './flow.serializer.ts'

/** The dependencies of {@link updateFlow} and {@link replaceFlow}. */
export interface UpdateFlowDeps {
  readonly clock: Clock
  readonly channels: Channels
}

/** The fields that reset a flow's health in an update through the ORM. See {@link resetHealthSql} for the SQL form. */
const resetHealth = {
  healthStatus: 'unknown',
  healthCode: null,
  healthDetail: null,
  healthSince: null,
  checkedAt: null,
  failingKind: null,
  failuresInRow: 0,
} as const

/**
 * Returns SQL assignments that reset the health of a flow `f` if the source type or the target changes, because the
 * recorded health describes the old destination.
 */
export const resetHealthSql = (sourceType: string, target: string): string =>
  [
    ['health_status', "'unknown'"],
    ['health_code', 'null'],
    ['health_detail', 'null'],
    ['health_since', 'null'],
    ['checked_at', 'null'],
    ['failing_kind', 'null'],
    ['failures_in_row', '0'],
  ]
    .map(
      ([column, value]) =>
        `${column} = case when f.source_type = ${sourceType} and f.target = ${target} then f.${column} else ${value} end`,
    )
    .join(', ')

/** The fields to change. A field that is `undefined` or absent does not change. */
type Changes = { [K in keyof z.output<typeof FlowPatch>]?: z.output<typeof FlowPatch>[K] | undefined }

/**
 * Changes the given fields of a flow, for a PATCH or PUT request. A PUT request gives all fields except the key.
 * @throws ApiError `not_found`, `etag_mismatch`, `key_taken` or `validation_failed`.
 */
export const updateFlow = async (
  transaction: UnitOfWork,
  { clock, channels }: UpdateFlowDeps,
  author: Author,
  path: FlowPath,
  ifMatch: string | undefined,
  changes: Changes,
): Promise<FlowWithHealthRow> => {
  // A transaction that applies a settings document locks the project and finds its flows by key. This lock waits for such a
  // transaction to end.
  if (changes.key !== undefined) await getProject(transaction, author, path.project_id, 'share')
  const stored = await getFlow(transaction, author, path, true)
  requireMatch(ifMatch, () => flowEtag(toFlow(stored, channels)))
  const now = timeOfChange(clock, stored)
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  const merged: FlowWithHealthRow = { ...stored, ...given, updated_at: now }
  const target = canonicalizeTarget(channels, merged.source_type, merged.target)
  const isRedirected = merged.source_type !== stored.source_type || target !== stored.target
  const row = { ...merged, target, ...(isRedirected ? noHealth : {}) }
  // The body check read the flow without a lock. Check again, because another request may have changed the flow since then. If
  // the request contains neither `source_type` nor `target`, do not check, so that a flow whose provider is no longer registered
  // can be deactivated.
  const namesDestination = changes.source_type !== undefined || changes.target !== undefined
  const issues = namesDestination ? findChannelIssues(channels, row) : []
  if (issues.length > 0) throw validationFailed(toBodyErrors(issues))
  await rejectTaken(() =>
    transaction.em.nativeUpdate(
      FlowEntity,
      { id: row.id },
      {
        name: row.name,
        key: row.key,
        active: row.active,
        sourceType: row.source_type,
        target: row.target,
        overrideTarget: row.override_target,
        messageTemplate: row.message_template,
        messageTemplateType: row.message_template_type,
        ...(isRedirected ? resetHealth : {}),
        updatedAt: now,
      },
    ),
  )
  await recordChanges(transaction, author, [
    { kind: 'flow', projectId: row.project_id, resourceId: row.id, at: now, before: flowState(stored), after: flowState(row) },
  ])
  transaction.invalidate(projectTag(row.project_id))
  return row
}

// The statement replaces the flow only if the new `updated_at` ($11) is later than the stored one, because the settings history
// lists a flow's changes in the order of their times. Otherwise, the statement returns no row.
const replaceStatement = {
  name: 'replace-flow',
  text: `with stored as materialized (
      select f.* from flows f join projects p on p.id = f.project_id
      where f.id = $1 and f.project_id = $2 and p.user_id = $3 and f.updated_at < $11::timestamptz for update of f
    ), replaced as (
      update flows f set name = $4, active = $5, source_type = $6, target = $7, override_target = $8, message_template = $9,
        message_template_type = $10, updated_at = $11, ${resetHealthSql('$6', '$7')}
      from stored s where f.id = $1 and f.id = s.id
      returning f.*
    ), recorded as (
      insert into settings_history (${historyColumns})
      select $12::uuid, $3, f.project_id, 'flow', 'update', f.id, f.key, f.updated_at, $13::uuid, $14::text, changed.fields,
        ${flowSettingsSql('s')}, ${flowSettingsSql('f')}, s.created_at, s.updated_at
      from stored s join replaced f on f.id = s.id cross join lateral (select ${changedFlowFieldsSql('s', 'f')} as fields) changed
      where cardinality(changed.fields) > 0
    )
    select ${flowColumns} from replaced f`,
}

/**
 * Replaces a flow without an `If-Match` check. Uses a single statement unless another request changes the flow at the
 * same time.
 * @throws ApiError `not_found`.
 */
export const replaceFlow = async (
  database: Database,
  deps: UpdateFlowDeps,
  author: Author,
  path: FlowPath,
  body: z.output<typeof FlowUpdate>,
): Promise<FlowWithHealthRow> => {
  const projectId = projectUuid(author, path.project_id)
  const flowId = fromId('flow', path.flow_id)
  if (flowId === undefined) throw notFound()
  const now = deps.clock.now()
  const [row] = await database.query<FlowWithHealthRow>(replaceStatement, [
    flowId,
    projectId,
    author.userId,
    body.name,
    body.active,
    body.source_type,
    canonicalizeTarget(deps.channels, body.source_type, body.target),
    body.override_target,
    body.message_template,
    body.message_template_type,
    now,
    newUuidAt(now),
    author.keyId ?? null,
    author.requestId,
  ])
  if (!row) return database.unitOfWork((transaction) => updateFlow(transaction, deps, author, path, undefined, body))
  await database.invalidate(projectTag(projectId))
  return row
}
