import type { FieldError } from '@flowpost/contract'
import type { SettingsBody } from '@flowpost/contract/rules'
import type { Author } from '../../auth/principal.ts'
import type { UnitOfWork } from '../../database/database.ts'
import { validationFailed } from '../../shared/api-error.ts'
import { type Clock, timeOfChange } from '../../shared/clock.ts'
import { newUuid, toId, type Uuid } from '../../shared/ids.ts'
import { writeKeyedEndpoints } from '../events/keyed-endpoints.ts'
import { deleteKeyedFlows, insertKeyedFlows, updateKeyedFlows } from '../flows/keyed-flows.ts'
import { IntegrationEntity } from '../integrations/integration.entity.ts'
import type { IntegrationWithSecrets } from '../integrations/integration.queries.ts'
import { mergeIntegrationBody } from '../integrations/integration-secrets.ts'
import { changeOfIntegration, type IntegrationToStore, type PutIntegrationDeps, storeIntegration } from '../integrations/put-integration.ts'
import { ProjectEntity } from '../projects/project.entity.ts'
import type { ProjectRow } from '../projects/project.serializer.ts'
import { rejectTaken } from '../projects/reject-taken.ts'
import { recordChanges } from '../settings-history/record-changes.ts'
import { changesOfPlan } from './changes-of-plan.ts'
import type { ProjectPlan } from './plan-deletions.ts'

/** The dependencies of {@link writePlan}. */
export type WritePlanDeps = PutIntegrationDeps

/** The argument of {@link writePlan}: a plan with its request and its project. */
export interface PlanToWrite {
  readonly principal: Author
  readonly body: SettingsBody
  /** The locked project; `undefined` if it does not exist. */
  readonly existing: ProjectRow | undefined
  readonly plan: ProjectPlan
}

/** The result of {@link writePlan}. */
export interface WrittenPlan {
  readonly project: ProjectRow
  /** The TypeIDs of created resources, keyed by kind and key, such as `flow ops-mail`. */
  readonly createdIds: ReadonlyMap<string, string>
  /** The signing secrets of created event endpoints, keyed by endpoint key. */
  readonly secrets: ReadonlyMap<string, string>
}

type GivenIntegration = NonNullable<SettingsBody['integrations']>[number]

/** Creates the project that a document describes. */
const createProject = async (transaction: UnitOfWork, { clock }: WritePlanDeps, { principal, body }: PlanToWrite): Promise<ProjectRow> => {
  const now = clock.now()
  const { key, name } = body.project
  const row = { id: newUuid(), key, name, created_at: now, updated_at: now }
  const insert = `insert into projects (id, user_id, key, name, created_at, updated_at) values ($1, $2, $3, $4, $5, $5) returning id`
  await rejectTaken(() => transaction.query(insert, [row.id, principal.userId, key, name, now]), '/project')
  return row
}

const renameProject = async (transaction: UnitOfWork, { clock }: WritePlanDeps, project: ProjectRow, name: string): Promise<ProjectRow> => {
  const now = timeOfChange(clock, project)
  await rejectTaken(() => transaction.em.nativeUpdate(ProjectEntity, { id: project.id }, { name, updatedAt: now }), '/project')
  return { ...project, name, updated_at: now }
}

/** Returns the JSON Pointer to an integration in the document. */
const pointerOf = (body: SettingsBody, sourceType: string): string =>
  `/integrations/${(body.integrations ?? []).findIndex(({ source_type }) => source_type === sourceType)}`

/**
 * Merges the integrations to write with the stored ones.
 * @throws ApiError `validation_failed` with the issues of all integrations.
 */
const mergeIntegrations = (
  { registry, encryption }: WritePlanDeps,
  projectId: Uuid,
  { body, plan }: PlanToWrite,
): (IntegrationToStore & { readonly given: GivenIntegration })[] => {
  const errors: FieldError[] = []
  const merge = (given: GivenIntegration, stored: IntegrationWithSecrets | undefined) => {
    const provider = registry.get(given.source_type)
    if (!provider) return []
    const merged = mergeIntegrationBody(encryption, provider, stored, given)
    const at = pointerOf(body, given.source_type)
    errors.push(...merged.errors.map((error) => ({ ...error, pointer: `${at}${error.pointer}` })))
    return [{ projectId, provider, stored, merged, given }]
  }
  const { creates, updates } = plan.integrations
  const merged = [...creates.flatMap((given) => merge(given, undefined)), ...updates.flatMap(({ given, stored }) => merge(given, stored))]
  if (errors.length > 0) throw validationFailed(errors)
  return merged
}

/** Returns the time to record for flow changes. It is later than the last change to each updated or deleted flow. */
const timeOfPlan = (clock: Clock, { flows }: ProjectPlan): Date =>
  [...flows.updates.map(({ stored }) => stored), ...flows.deletes]
    .map((flow) => timeOfChange(clock, flow))
    .reduce((a, b) => (b > a ? b : a), clock.now())

/**
 * Writes a plan's changes and records them in the settings history. The caller must have locked the project, its flows
 * and its event endpoints, and must have made the changes to pending deliveries that `pendingChangesOf` returns. To support
 * a new kind of resource, extend this function, `changesOfPlan` and `planSettings`.
 * @throws ApiError `project_name_taken`, `key_taken`, `validation_failed` or `encryption_not_configured`.
 */
export const writePlan = async (transaction: UnitOfWork, deps: WritePlanDeps, write: PlanToWrite): Promise<WrittenPlan> => {
  const { existing, plan, body } = write
  const createdIds = new Map<string, string>()
  let project = existing ?? (await createProject(transaction, deps, write))
  if (!existing) createdIds.set(`project ${body.project.key}`, toId('project', project.id))
  if (plan.project === 'update') project = await renameProject(transaction, deps, project, body.project.name)
  const now = timeOfPlan(deps.clock, plan)
  const { flows, integrations } = plan
  if (flows.deletes.length > 0)
    await deleteKeyedFlows(
      transaction,
      project.id,
      flows.deletes.map(({ id }) => id),
    )
  if (flows.updates.length > 0) await updateKeyedFlows(transaction, project.id, flows.updates, now)
  const flowIds = flows.creates.length > 0 ? await insertKeyedFlows(transaction, project.id, flows.creates, now) : new Map<string, Uuid>()
  for (const [key, id] of flowIds) createdIds.set(`flow ${key}`, toId('flow', id))
  const changes = changesOfPlan(plan, { before: existing, after: project, flowIds, now, clock: deps.clock })
  for (const { given, ...integration } of mergeIntegrations(deps, project.id, write)) {
    const row = await storeIntegration(transaction, deps, integration)
    changes.push(changeOfIntegration(project.id, integration.stored, row, given.secrets))
  }
  for (const { source_type } of integrations.deletes) {
    await transaction.em.nativeDelete(IntegrationEntity, { projectId: project.id, sourceType: source_type })
    await deps.credentialChanged(transaction, project.id, source_type)
  }
  const endpoints = await writeKeyedEndpoints(transaction, deps, { userId: write.principal.userId, projectId: project.id }, plan.endpoints)
  for (const [key, { row }] of endpoints.created) createdIds.set(`event_endpoint ${key}`, toId('eventEndpoint', row.id))
  await recordChanges(transaction, write.principal, [...changes, ...endpoints.changes])
  const secrets = new Map([...endpoints.created].map(([key, { secret }]) => [key, secret]))
  return { project, createdIds, secrets }
}
