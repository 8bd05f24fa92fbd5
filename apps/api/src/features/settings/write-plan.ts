import type { FieldError } from '@flowpost/contract'
import type { SettingsBody } from '@flowpost/contract/rules'
import type { Principal } from '../../auth/principal.ts'
import type { UnitOfWork } from '../../database/database.ts'
import { validationFailed } from '../../shared/api-error.ts'
import { newUuid, toId, type Uuid } from '../../shared/ids.ts'
import { deleteKeyedFlows, insertKeyedFlows, updateKeyedFlows } from '../flows/keyed-flows.ts'
import { IntegrationEntity } from '../integrations/integration.entity.ts'
import type { IntegrationWithSecrets } from '../integrations/integration.queries.ts'
import { mergeIntegrationBody } from '../integrations/integration-secrets.ts'
import { type IntegrationToStore, type PutIntegrationDeps, storeIntegration } from '../integrations/put-integration.ts'
import { ProjectEntity } from '../projects/project.entity.ts'
import type { ProjectRow } from '../projects/project.serializer.ts'
import { rejectTaken } from '../projects/reject-taken.ts'
import type { ProjectPlan } from './plan-deletions.ts'

/** The dependencies of {@link writePlan}. */
export type WritePlanDeps = PutIntegrationDeps

/** A plan to write. */
export interface PlanToWrite {
  readonly principal: Principal
  readonly body: SettingsBody
  /** The locked project; `undefined` if it does not exist. */
  readonly existing: ProjectRow | undefined
  readonly plan: ProjectPlan
}

type GivenIntegration = NonNullable<SettingsBody['integrations']>[number]

/** Creates the project of a document. */
const createProject = async (transaction: UnitOfWork, { clock }: WritePlanDeps, { principal, body }: PlanToWrite): Promise<ProjectRow> => {
  const now = clock.now()
  const { key, name } = body.project
  const row = { id: newUuid(), key, name, created_at: now, updated_at: now }
  const insert = `insert into projects (id, user_id, key, name, created_at, updated_at) values ($1, $2, $3, $4, $5, $5) returning id`
  await rejectTaken(() => transaction.query(insert, [row.id, principal.userId, key, name, now]), '/project')
  return row
}

const renameProject = async (transaction: UnitOfWork, { clock }: WritePlanDeps, project: ProjectRow, name: string): Promise<ProjectRow> => {
  const now = clock.now()
  await rejectTaken(() => transaction.em.nativeUpdate(ProjectEntity, { id: project.id }, { name, updatedAt: now }), '/project')
  return { ...project, name, updated_at: now }
}

/** Returns the JSON Pointer of an integration in the document. */
const pointerOf = (body: SettingsBody, sourceType: string): string =>
  `/integrations/${(body.integrations ?? []).findIndex(({ source_type }) => source_type === sourceType)}`

/**
 * Merges the integrations to write with the stored ones.
 * @throws ApiError `validation_failed` with the issues of all integrations.
 */
const mergeIntegrations = ({ registry, encryption }: WritePlanDeps, projectId: Uuid, { body, plan }: PlanToWrite): IntegrationToStore[] => {
  const errors: FieldError[] = []
  const merge = (given: GivenIntegration, stored: IntegrationWithSecrets | undefined): IntegrationToStore[] => {
    const provider = registry.get(given.source_type)
    if (!provider) return []
    const merged = mergeIntegrationBody(encryption, provider, stored, given)
    const at = pointerOf(body, given.source_type)
    errors.push(...merged.errors.map((error) => ({ ...error, pointer: `${at}${error.pointer}` })))
    return [{ projectId, provider, stored, merged }]
  }
  const { creates, updates } = plan.integrations
  const merged = [...creates.flatMap((given) => merge(given, undefined)), ...updates.flatMap(({ given, stored }) => merge(given, stored))]
  if (errors.length > 0) throw validationFailed(errors)
  return merged
}

/**
 * Writes the changes of a plan. The caller has locked the project and its flows, and has canceled the deliveries of deleted
 * flows. A new kind of resource is added here and in `planSettings`.
 * @returns the project, and the API ids of created resources by kind and key.
 * @throws ApiError `project_name_taken`, `key_taken`, `validation_failed` or `encryption_not_configured`.
 */
export const writePlan = async (
  transaction: UnitOfWork,
  deps: WritePlanDeps,
  write: PlanToWrite,
): Promise<{ readonly project: ProjectRow; readonly createdIds: ReadonlyMap<string, string> }> => {
  const { existing, plan, body } = write
  const createdIds = new Map<string, string>()
  let project = existing ?? (await createProject(transaction, deps, write))
  if (!existing) createdIds.set(`project ${body.project.key}`, toId('project', project.id))
  if (plan.project === 'update') project = await renameProject(transaction, deps, project, body.project.name)
  const now = deps.clock.now()
  const { flows, integrations } = plan
  if (flows.deletes.length > 0)
    await deleteKeyedFlows(
      transaction,
      project.id,
      flows.deletes.map(({ id }) => id),
    )
  if (flows.updates.length > 0) await updateKeyedFlows(transaction, project.id, flows.updates, now)
  if (flows.creates.length > 0)
    for (const [key, id] of await insertKeyedFlows(transaction, project.id, flows.creates, now))
      createdIds.set(`flow ${key}`, toId('flow', id))
  for (const integration of mergeIntegrations(deps, project.id, write)) await storeIntegration(transaction, deps, integration)
  for (const { source_type } of integrations.deletes) {
    await transaction.em.nativeDelete(IntegrationEntity, { projectId: project.id, sourceType: source_type })
    await deps.credentialChanged(transaction, project.id, source_type)
  }
  return { project, createdIds }
}
