import type { SettingsPlan } from '@flowpost/contract/rules'
import type { Uuid } from '../../shared/ids.ts'
import type { KeyedEndpointRow } from '../events/keyed-endpoints.ts'
import type { KeyedFlowRow } from '../flows/keyed-flows.ts'
import type { IntegrationWithSecrets } from '../integrations/integration.queries.ts'
import type { PendingChange } from '../projects/delete-with-pending-change.ts'

/** The changes that bring a project's stored settings in line with a settings document. */
export type ProjectPlan = SettingsPlan<KeyedFlowRow, IntegrationWithSecrets, KeyedEndpointRow>

/** The functions that change pending deliveries when resources are deleted. */
export interface DeletionDeps {
  /** Returns the change that cancels the flows' pending deliveries. */
  readonly cancelPending: (flows: { readonly projectId: Uuid; readonly flowIds: readonly Uuid[] }) => PendingChange
  /**
   * Returns the change to make to pending deliveries when a project's credential is deleted. Without this change, these
   * deliveries could be sent with the deployment's credential instead.
   */
  readonly revokeCredential: (projectId: Uuid, sourceType: string) => PendingChange
}

/** Returns the changes to pending deliveries that are necessary because a plan deletes flows or integrations. */
export const pendingChangesOf = (deps: DeletionDeps, projectId: Uuid, { flows, integrations }: ProjectPlan): readonly PendingChange[] => [
  ...(flows.deletes.length > 0 ? [deps.cancelPending({ projectId, flowIds: flows.deletes.map(({ id }) => id) })] : []),
  ...integrations.deletes.map(({ source_type }) => deps.revokeCredential(projectId, source_type)),
]
