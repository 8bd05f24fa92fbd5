import { type Clock, timeOfChange } from '../../shared/clock.ts'
import type { Uuid } from '../../shared/ids.ts'
import { flowState } from '../flows/flow.serializer.ts'
import { integrationState } from '../integrations/integration.serializer.ts'
import { type ProjectRow, projectState } from '../projects/project.serializer.ts'
import type { SettingsChange } from '../settings-history/record-changes.ts'
import type { ProjectPlan } from './plan-deletions.ts'

/** The results of writing a plan, from which the settings history entries are derived. */
export interface WrittenChanges {
  /** The project before the plan was written; `undefined` if the plan created the project. */
  readonly before: ProjectRow | undefined
  readonly after: ProjectRow
  /** The ids of the created flows, keyed by flow key. */
  readonly flowIds: ReadonlyMap<string, Uuid>
  /** The time at which the flows were changed. */
  readonly now: Date
  readonly clock: Clock
}

/**
 * Returns the changes that the settings history must record for the project, its flows and its deleted integrations. Uses
 * the flows in the settings document. They contain every field, so the stored flows need not be read again.
 */
export const changesOfPlan = (
  { flows, integrations }: Pick<ProjectPlan, 'flows' | 'integrations'>,
  { before, after, flowIds, now, clock }: WrittenChanges,
): SettingsChange[] => {
  const projectId = after.id
  const flow = { kind: 'flow' as const, projectId, at: now }
  const dates = { project_id: projectId, created_at: now, updated_at: now }
  return [
    {
      kind: 'project',
      projectId,
      resourceId: projectId,
      at: new Date(after.updated_at),
      before: before ? projectState(before) : null,
      after: projectState(after),
    },
    ...flows.creates.map((given): SettingsChange => {
      const id = flowIds.get(given.key)
      if (id === undefined) throw new Error(`The flow ${given.key} was not created.`)
      return { ...flow, resourceId: id, before: null, after: flowState({ ...given, ...dates, id }) }
    }),
    ...flows.updates.map(
      ({ given, stored }): SettingsChange => ({
        ...flow,
        resourceId: stored.id,
        before: flowState(stored),
        after: flowState({ ...stored, ...given, updated_at: now }),
      }),
    ),
    ...flows.deletes.map((stored): SettingsChange => ({ ...flow, resourceId: stored.id, before: flowState(stored), after: null })),
    ...integrations.deletes.map(
      (stored): SettingsChange => ({
        kind: 'integration',
        projectId,
        resourceId: stored.id,
        at: timeOfChange(clock, stored),
        before: integrationState(stored),
        after: null,
      }),
    ),
  ]
}
