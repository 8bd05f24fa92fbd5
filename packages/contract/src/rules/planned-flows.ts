import type { SettingsBody, SettingsPlan } from './settings-document.ts'

type GivenFlow = SettingsBody['flows'][number]

/**
 * Returns the flows of a project as they would be after a plan is applied. A flow that the plan creates gets a
 * temporary, unique id.
 * @param flows All of the project's flows, with and without a key.
 * @param idOf Returns the id of an updated or deleted flow. `flows` contains a flow with this id.
 */
export const toPlannedFlows = <Flow extends { readonly id: string }, F>(
  flows: readonly Flow[],
  plan: SettingsPlan<F, unknown, unknown>,
  idOf: (stored: F) => string,
): (Flow | (GivenFlow & { readonly id: string }))[] => {
  const deleted = new Set(plan.flows.deletes.map(idOf))
  const updated = new Map(plan.flows.updates.map(({ given, stored }) => [idOf(stored), given]))
  const kept = flows.filter(({ id }) => !deleted.has(id))
  const changed = kept.map((flow) => {
    const given = updated.get(flow.id)
    return given ? { ...given, id: flow.id } : flow
  })
  return [...changed, ...plan.flows.creates.map((given) => ({ ...given, id: `new ${given.key}` }))]
}
