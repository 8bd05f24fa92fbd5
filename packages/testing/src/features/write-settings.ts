import { mergeIntegration, type PlannedChange, type SettingsBody, type SettingsPlan } from '@flowpost/contract/rules'
import { statusesBefore, unknownHealth } from '@flowpost/domain'
import { type MockContext, providerOf, timestamp } from '../state/mock-context.ts'
import type { FlowRecord, IntegrationRecord, ProjectRecord } from '../state/store.ts'
import { deleteIntegration, storeIntegration, toStoredIntegration } from './integrations.ts'
import { requireAvailableName } from './projects.ts'

/** The changes that apply a document to the settings of a mock. */
export type SettingsPlanOf = SettingsPlan<FlowRecord, IntegrationRecord>

const cancelable = new Set(statusesBefore('canceled'))

/** Returns the changes of a plan, with the number of pending deliveries of each flow that is deleted. */
export const countPending = ({ store }: MockContext, { changes }: SettingsPlanOf): PlannedChange[] => {
  const deliveries = [...store.notifications.values()].flatMap((notification) => notification.deliveries)
  return changes.map((change) =>
    change.action === 'delete' && change.kind === 'flow'
      ? {
          ...change,
          pending_deliveries: deliveries.filter(({ flow_id, status }) => flow_id === change.id && cancelable.has(status)).length,
        }
      : change,
  )
}

/** A plan to write. */
export interface PlanToWrite {
  readonly userId: string
  readonly existing: ProjectRecord | undefined
  readonly body: SettingsBody
  readonly plan: SettingsPlanOf
  readonly cancelPending: (of: { flowId: string }) => void
}

/** Writes the project of a document, if it is new or renamed. @throws {ApiError} `project_name_taken`. */
const writeProject = (context: MockContext, { userId, existing, body, plan }: PlanToWrite): ProjectRecord => {
  if (existing && plan.project === 'none') return existing
  const { key, name } = body.project
  requireAvailableName(context, userId, name, existing?.id, '/project')
  const now = timestamp(context)
  const project = existing
    ? { ...existing, name, updated_at: now }
    : { id: context.generateId('project'), userId, name, key, created_at: now, updated_at: now }
  context.store.projects.set(project.id, project)
  return project
}

const writeFlows = (context: MockContext, project: ProjectRecord, { plan: { flows }, cancelPending }: PlanToWrite): Map<string, string> => {
  const { store } = context
  const now = timestamp(context)
  const createdIds = new Map<string, string>()
  for (const { id } of flows.deletes) {
    cancelPending({ flowId: id })
    store.flows.delete(id)
  }
  for (const { given, stored } of flows.updates) {
    const isMoved = given.source_type !== stored.source_type || given.target !== stored.target
    store.flows.set(stored.id, { ...stored, ...given, ...(isMoved ? { condition: unknownHealth, checked_at: null } : {}), updated_at: now })
  }
  for (const given of flows.creates) {
    const id = context.generateId('flow')
    const dates = { created_at: now, updated_at: now }
    store.flows.set(id, { id, project_id: project.id, ...given, condition: unknownHealth, checked_at: null, ...dates })
    createdIds.set(`flow ${given.key}`, id)
  }
  return createdIds
}

/**
 * Writes the changes of a plan. All checks precede the first change, so that a rejected document changes nothing.
 *
 * @returns The project, and the ids of created resources by kind and key.
 * @throws {ApiError} `project_name_taken`.
 */
export const writePlan = (
  context: MockContext,
  write: PlanToWrite,
): { readonly project: ProjectRecord; readonly createdIds: ReadonlyMap<string, string> } => {
  const { integrations } = write.plan
  const project = writeProject(context, write)
  const createdIds = writeFlows(context, project, write)
  if (!write.existing) createdIds.set(`project ${write.body.project.key}`, project.id)
  const writes = [...integrations.creates.map((given) => ({ given, stored: undefined })), ...integrations.updates]
  for (const { given, stored } of writes) {
    const provider = providerOf(context, given.source_type)
    if (!provider) continue
    // The body was validated with the same rules.
    const { settings, secrets } = mergeIntegration(provider, toStoredIntegration(stored), given)
    storeIntegration(context, { projectId: project.id, sourceType: provider.id, settings, secrets })
  }
  for (const { sourceType } of integrations.deletes) deleteIntegration(context, project.id, sourceType)
  return { project, createdIds }
}
