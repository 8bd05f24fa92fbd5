import {
  changedFields,
  type RecordedKind,
  type RecordedSettings,
  recordedEndpoint,
  recordedFlow,
  recordedIntegration,
  recordedProject,
} from '@flowpost/contract/rules'
import type { Principal } from '../http/handler.ts'
import type { SettingsHistoryEntry } from '../state/api-types.ts'
import { type MockContext, timeOfChange } from '../state/mock-context.ts'
import type { EventEndpointRecord, FlowRecord, IntegrationRecord, ProjectRecord } from '../state/store.ts'

/** The user and request that change settings. */
export interface ChangeOrigin {
  readonly principal: Principal
  readonly requestId: string
}

interface Resources {
  readonly project: ProjectRecord
  readonly flow: FlowRecord
  readonly integration: IntegrationRecord
  readonly event_endpoint: EventEndpointRecord
}

/**
 * A write to a resource. Without `before`, the write creates the resource. Without `after`, it deletes the resource.
 */
export interface SettingsWrite<Kind extends RecordedKind> {
  readonly kind: Kind
  readonly before?: Resources[Kind] | undefined
  readonly after?: Resources[Kind] | undefined
  /** JSON Pointers to the secrets that the write changes. */
  readonly secretFields?: readonly string[]
  /** The time of the write. The default is `after.updated_at` or, for a deletion, the result of {@link timeOfChange}. */
  readonly at?: string
}

/** A resource as the history records it. */
interface Recorded extends Pick<SettingsHistoryEntry, 'project_id' | 'resource_id' | 'key'> {
  readonly settings: RecordedSettings
}

const recorders: { readonly [Kind in RecordedKind]: (resource: Resources[Kind]) => Recorded } = {
  project: (project) => ({ project_id: project.id, resource_id: project.id, key: project.key, settings: recordedProject(project) }),
  flow: (flow) => ({ project_id: flow.project_id, resource_id: flow.id, key: flow.key, settings: recordedFlow(flow) }),
  integration: ({ projectId, sourceType, settings, secrets }) => ({
    project_id: projectId,
    resource_id: null,
    key: sourceType,
    settings: recordedIntegration({ source_type: sourceType, settings, secretNames: Object.keys(secrets) }),
  }),
  event_endpoint: (endpoint) => ({
    project_id: endpoint.projectId,
    resource_id: endpoint.id,
    key: endpoint.key,
    settings: recordedEndpoint(endpoint),
  }),
}

/** Records a write in the settings history, unless the write changes nothing. */
export const recordChange = <Kind extends RecordedKind>(
  context: MockContext,
  { principal, requestId }: ChangeOrigin,
  { kind, secretFields = [], at, ...write }: SettingsWrite<Kind>,
): void => {
  const resource = write.after ?? write.before
  if (!resource) throw new Error('The write has neither `before` nor `after`.')
  const before = write.before && recorders[kind](write.before)
  const after = write.after && recorders[kind](write.after)
  const { project_id, resource_id, key } = recorders[kind](resource)
  const fields = before && after ? changedFields(before.settings, after.settings, secretFields) : []
  if (before && after && fields.length === 0) return
  const id = context.generateId('settingsHistoryEntry')
  context.store.settingsHistory.set(id, {
    id,
    userId: principal.userId,
    project_id,
    changed_at: at ?? write.after?.updated_at ?? timeOfChange(context, resource),
    action: !before ? 'create' : after ? 'update' : 'delete',
    kind,
    resource_id,
    key,
    changed_by: principal.keyId,
    request_id: requestId,
    fields,
    before: before?.settings ?? null,
    after: after?.settings ?? null,
    resourceCreatedAt: resource.created_at,
    previousUpdatedAt: write.before?.updated_at ?? null,
  })
}

/** Records the deletion of a project and of its flows, integrations and event endpoints, all with the same time. */
export const recordDeletion = (context: MockContext, origin: ChangeOrigin, project: ProjectRecord): void => {
  const { store } = context
  const flows = [...store.flows.values()].filter(({ project_id }) => project_id === project.id)
  const integrations = [...store.integrations.values()].filter(({ projectId }) => projectId === project.id)
  const endpoints = [...store.eventEndpoints.values()].filter(({ projectId }) => projectId === project.id)
  const at = timeOfChange(context, project, ...flows, ...integrations, ...endpoints)
  for (const before of flows) recordChange(context, origin, { kind: 'flow', before, at })
  for (const before of integrations) recordChange(context, origin, { kind: 'integration', before, at })
  for (const before of endpoints) recordChange(context, origin, { kind: 'event_endpoint', before, at })
  recordChange(context, origin, { kind: 'project', before: project, at })
}
