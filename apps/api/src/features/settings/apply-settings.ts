import type { SettingsApplied } from '@flowpost/contract'
import { type PlannedChange, planSettings, requireSettingsMatch, type SettingsBody } from '@flowpost/contract/rules'
import { type Channels, canonicalizeTarget } from '@flowpost/domain'
import type { z } from 'zod'
import type { Author } from '../../auth/principal.ts'
import { projectTag } from '../../cache-tags.ts'
import type { Database, Queryable, UnitOfWork } from '../../database/database.ts'
import { etagOf } from '../../http/etag.ts'
import { notFound } from '../../shared/api-error.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import { findByKey } from '../projects/project.queries.ts'
import type { ProjectRow } from '../projects/project.serializer.ts'
import { checkPlan } from './check-plan.ts'
import { type DeletionDeps, type ProjectPlan, pendingChangesOf } from './plan-deletions.ts'
import { digestOf, flowWarnings, type ProjectSettings, readSettings } from './stored-settings.ts'
import { type WritePlanDeps, type WrittenPlan, writePlan } from './write-plan.ts'

/** The dependencies of {@link applySettings} and {@link prepareApply}. */
export interface ApplySettingsDeps extends WritePlanDeps, DeletionDeps {
  readonly database: Database
  readonly channels: Channels
  /** Counts the flows' pending deliveries. Returns the numbers keyed by flow id. */
  readonly countPending: (on: Queryable, projectId: Uuid, flowIds: readonly Uuid[]) => Promise<ReadonlyMap<Uuid, number>>
}

/** The response to an {@link ApplyRequest}. */
export type Applied = z.output<typeof SettingsApplied>

/** A request to apply a settings document. */
export interface ApplyRequest {
  readonly principal: Author
  readonly body: SettingsBody
  readonly ifMatch: string | undefined
}

/** The number of pending deliveries of each flow that is being deleted. */
type PendingCounts = ReadonlyMap<Uuid, number>

/**
 * Plans the changes that make the stored settings match the document.
 * @throws ApiError `etag_mismatch` or `too_many_event_endpoints`.
 */
export const planFor = (
  { channels }: ApplySettingsDeps,
  { body, ifMatch }: ApplyRequest,
  stored: ProjectSettings | undefined,
): ProjectPlan => {
  requireSettingsMatch(ifMatch, stored, etagOf)
  return planSettings(stored, body, {
    canonicalizeTarget: ({ source_type, target }) => canonicalizeTarget(channels, source_type, target),
    findWarnings: flowWarnings(channels),
  })
}

/**
 * Finds the project that a settings document describes.
 * @throws ApiError `not_found` if the caller's credential is bound to another project.
 */
export const findProject = async (
  on: Queryable,
  { principal, body }: ApplyRequest,
  lock: 'share' | 'update',
): Promise<ProjectRow | undefined> => {
  const project = await findByKey(on, principal, body.project.key, lock)
  if (!project && principal.projectId !== undefined) throw notFound()
  return project
}

/**
 * Locks the project that a document describes. If the project does not exist, locks its key, so that concurrent
 * requests cannot both create the project.
 */
const lockProject = async (transaction: Queryable, request: ApplyRequest): Promise<ProjectRow | undefined> => {
  const project = await findProject(transaction, request, 'update')
  if (project) return project
  const { principal, body } = request
  await transaction.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [JSON.stringify([principal.userId, body.project.key])])
  return findProject(transaction, request, 'update')
}

const countDeletions = async (deps: ApplySettingsDeps, on: Queryable, projectId: Uuid, { flows }: ProjectPlan): Promise<PendingCounts> =>
  flows.deletes.length === 0
    ? new Map()
    : deps.countPending(
        on,
        projectId,
        flows.deletes.map(({ id }) => id),
      )

/**
 * Completes a plan's changes with the ids of created resources, the secrets of created event endpoints, and each
 * deleted flow's number of pending deliveries.
 * @param written the result of {@link writePlan}; `undefined` for a dry run.
 */
const toChanges = (plan: ProjectPlan, written: WrittenPlan | undefined, counts: PendingCounts): Applied['changes'] => {
  const deleted = new Map(plan.flows.deletes.map(({ key, id }) => [key, id]))
  return plan.changes.map((change) => {
    if (change.action === 'create') return { ...change, ...createdResource(change, written) }
    if (change.action !== 'delete' || change.kind !== 'flow') return change
    return { ...change, pending_deliveries: counts.get(deleted.get(change.key) ?? '') ?? 0 }
  })
}

const createdResource = ({ kind, key }: PlannedChange, written: WrittenPlan | undefined) => {
  const secret = kind === 'event_endpoint' ? written?.secrets.get(key) : undefined
  return { id: written?.createdIds.get(`${kind} ${key}`) ?? null, ...(secret === undefined ? {} : { secret }) }
}

/**
 * Returns whether an event endpoint was created or updated. If so, the caller must call `awaitEarlierTransactions` after
 * the commit.
 */
export const changesEndpoints = ({ changes }: Applied): boolean =>
  changes.some(({ kind, action }) => kind === 'event_endpoint' && (action === 'create' || action === 'update'))

/**
 * Plans the changes for a document, and rejects a plan that {@link applySettings} would reject. Locks the project against
 * deletion.
 * @throws ApiError `not_found`, `etag_mismatch`, `project_name_taken`, `settings_too_large`, `too_many_event_endpoints` or
 * `encryption_not_configured`.
 */
const planAhead = async (on: Queryable, deps: ApplySettingsDeps, request: ApplyRequest) => {
  const project = await findProject(on, request, 'share')
  const stored = project && (await readSettings(on, project, false))
  const plan = planFor(deps, request, stored)
  await checkPlan(on, deps, { ...request, stored, plan })
  const counts: PendingCounts = project ? await countDeletions(deps, on, project.id, plan) : new Map()
  return { project, stored, plan, counts }
}

/**
 * Returns the changes that applying a document would make.
 * @throws ApiError the errors of {@link planAhead}.
 */
export const dryRun = async (on: Queryable, deps: ApplySettingsDeps, request: ApplyRequest): Promise<Applied> => {
  const { stored, plan, counts } = await planAhead(on, deps, request)
  const changes = toChanges(plan, undefined, counts)
  return { project_id: stored?.project.id ?? null, digest: digestOf(stored), changes, warnings: plan.warnings }
}

/**
 * Prepares for {@link applySettings}: changes most of the affected deliveries in short transactions, so that the transaction
 * of `applySettings` stays short. Cancels the pending deliveries of flows that will be deleted. Marks the open deliveries of
 * integrations that will be deleted, so that they do not fall back to the deployment's credential.
 * @param onCanceled called after each transaction with the ids of the notifications whose deliveries the transaction
 * canceled.
 * @returns the number of pending deliveries of each flow that will be deleted, counted before these changes.
 * @throws ApiError the errors of {@link planAhead}. In that case, no delivery is changed.
 */
export const prepareApply = async (
  deps: ApplySettingsDeps,
  request: ApplyRequest,
  onCanceled: (notificationIds: readonly Uuid[]) => void,
): Promise<PendingCounts> => {
  if (!request.body.prune) return new Map()
  const { project, plan, counts } = await deps.database.transaction((transaction) => planAhead(transaction, deps, request))
  if (!project) return counts
  for (const change of pendingChangesOf(deps, project.id, plan)) await change.ahead(deps.database, onCanceled)
  return counts
}

/**
 * Applies a document in the caller's transaction, completely or not at all. Concurrent requests for the same project
 * run one after the other, because each request locks the project.
 * @param counts the result of {@link prepareApply}.
 * @returns the response, and the ids of the notifications whose deliveries were canceled.
 * @throws ApiError `not_found`, `etag_mismatch`, `validation_failed`, `project_name_taken`, `key_taken`,
 * `settings_too_large`, `too_many_event_endpoints` or `encryption_not_configured`.
 */
export const applySettings = async (
  transaction: UnitOfWork,
  deps: ApplySettingsDeps,
  request: ApplyRequest,
  counts: PendingCounts,
): Promise<{ readonly applied: Applied; readonly canceled: readonly Uuid[] }> => {
  const existing = await lockProject(transaction, request)
  const canceled: Uuid[] = []
  if (existing && request.body.prune) {
    // Deliveries must be locked before flows; see the lock order in `recordOutcomes`. This plan only finds the flows to delete,
    // without locking them. Then `change.rest` locks and changes their deliveries.
    const plan = planFor(deps, request, await readSettings(transaction, existing, false))
    for (const change of pendingChangesOf(deps, existing.id, plan)) canceled.push(...(await change.rest(transaction)))
  }
  // Makes the plan again, now with locked flows. It deletes the same flows as the plan above, because no flow gets or loses its
  // key while the project is locked.
  const stored = existing && (await readSettings(transaction, existing, true))
  const plan = planFor(deps, request, stored)
  const written = await writePlan(transaction, deps, { ...request, existing, plan })
  const { project } = written
  transaction.invalidate(projectTag(project.id))
  const changes = toChanges(plan, written, counts)
  const digest = digestOf(await readSettings(transaction, project, false))
  return { applied: { project_id: toId('project', project.id), digest, changes, warnings: plan.warnings }, canceled }
}
