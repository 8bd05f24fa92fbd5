import { mergeIntegration, type PlannedChange, type SettingsBody, type SettingsPlan } from '@flowpost/contract/rules'
import { statusesBefore, unknownHealth } from '@flowpost/domain'
import type { EventPushes } from '../events/event-pushes.ts'
import { type MockContext, providerOf, timeOfChange, timestamp } from '../state/mock-context.ts'
import type { EventEndpointRecord, FlowRecord, IntegrationRecord, ProjectRecord } from '../state/store.ts'
import { deleteEndpoint, insertEndpoint, writeEndpoint } from './event-endpoints.ts'
import { deleteIntegration, storeIntegration, toStoredIntegration } from './integrations.ts'
import { type ChangeOrigin, recordChange } from './settings-history.ts'

/** The changes that make a project in the mock match a settings document. */
export type SettingsPlanOf = SettingsPlan<FlowRecord, IntegrationRecord, EventEndpointRecord>

const cancelable = new Set(statusesBefore('canceled'))

/** Returns a plan's changes, with the number of pending deliveries for each flow to be deleted. */
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

/** The dependencies of {@link writePlan}. */
export interface SettingsWriteDeps {
  /** Cancels the pending deliveries of a deleted flow. */
  readonly cancelPending: (of: { flowId: string }) => void
  readonly pushes: EventPushes
}

/** A settings plan to write to the store. */
export interface PlanToWrite {
  readonly origin: ChangeOrigin
  readonly existing: ProjectRecord | undefined
  readonly body: SettingsBody
  readonly plan: SettingsPlanOf
}

/** The result of applying a plan to the mock's settings. */
export interface WrittenPlan {
  readonly project: ProjectRecord
  /** The ids of created resources, keyed by kind and key. */
  readonly createdIds: ReadonlyMap<string, string>
  /** The signing secrets of created event endpoints, keyed by endpoint key. */
  readonly secrets: ReadonlyMap<string, string>
}

/** Writes the document's project if it is new or renamed. */
const writeProject = (context: MockContext, { origin, existing, body, plan }: PlanToWrite): ProjectRecord => {
  if (existing && plan.project === 'none') return existing
  const { key, name } = body.project
  const { userId } = origin.principal
  const now = timestamp(context)
  const project = existing
    ? { ...existing, name, updated_at: timeOfChange(context, existing) }
    : { id: context.generateId('project'), userId, name, key, created_at: now, updated_at: now }
  context.store.projects.set(project.id, project)
  recordChange(context, origin, { kind: 'project', before: existing, after: project })
  return project
}

const writeFlows = (
  context: MockContext,
  project: ProjectRecord,
  { origin, plan: { flows } }: PlanToWrite,
  { cancelPending }: SettingsWriteDeps,
): Map<string, string> => {
  const { store } = context
  const now = timestamp(context)
  const createdIds = new Map<string, string>()
  for (const given of flows.creates) {
    const id = context.generateId('flow')
    const dates = { created_at: now, updated_at: now }
    const after = { id, project_id: project.id, ...given, condition: unknownHealth, checked_at: null, ...dates }
    store.flows.set(id, after)
    recordChange(context, origin, { kind: 'flow', after })
    createdIds.set(`flow ${given.key}`, id)
  }
  for (const { given, stored } of flows.updates) {
    const isMoved = given.source_type !== stored.source_type || given.target !== stored.target
    const health = isMoved ? { condition: unknownHealth, checked_at: null } : {}
    const after = { ...stored, ...given, ...health, updated_at: timeOfChange(context, stored) }
    store.flows.set(stored.id, after)
    recordChange(context, origin, { kind: 'flow', before: stored, after })
  }
  for (const flow of flows.deletes) {
    cancelPending({ flowId: flow.id })
    store.flows.delete(flow.id)
    recordChange(context, origin, { kind: 'flow', before: flow })
  }
  return createdIds
}

/** Writes a plan's event endpoints. Returns the created endpoints. */
const writeEndpoints = (
  context: MockContext,
  project: ProjectRecord,
  { origin, plan: { endpoints } }: PlanToWrite,
  { pushes }: SettingsWriteDeps,
): EventEndpointRecord[] => {
  for (const endpoint of endpoints.deletes) deleteEndpoint(context, origin, endpoint)
  for (const { given, stored } of endpoints.updates) writeEndpoint(context, { ...origin, pushes }, stored, given)
  return endpoints.creates.map((given) => insertEndpoint(context, origin, project, given))
}

/**
 * Writes a plan's changes. The caller must have checked that the project's name is available and that the resulting
 * settings are not too large.
 */
export const writePlan = (context: MockContext, deps: SettingsWriteDeps, write: PlanToWrite): WrittenPlan => {
  const { origin, existing, plan, body } = write
  const { integrations } = plan
  const project = writeProject(context, write)
  const createdIds = writeFlows(context, project, write, deps)
  if (!existing) createdIds.set(`project ${body.project.key}`, project.id)
  for (const integration of integrations.deletes) deleteIntegration(context, origin, integration)
  const writes = [...integrations.creates.map((given) => ({ given, stored: undefined })), ...integrations.updates]
  for (const { given, stored } of writes) {
    const provider = providerOf(context, given.source_type)
    if (!provider) continue
    // Ignores `errors`, which is empty: `settingsBodyIssues` has already rejected an invalid integration.
    const { settings, secrets } = mergeIntegration(provider, toStoredIntegration(stored), given)
    storeIntegration(context, origin, {
      projectId: project.id,
      sourceType: provider.id,
      settings,
      secrets,
      givenSecrets: given.secrets,
    })
  }
  const created = writeEndpoints(context, project, write, deps)
  for (const { id, key } of created) createdIds.set(`event_endpoint ${key}`, id)
  return { project, createdIds, secrets: new Map(created.map(({ key, secret }) => [key ?? '', secret])) }
}
