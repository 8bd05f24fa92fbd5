import { momentBeforeHistory, momentInFuture, notFound } from '@flowpost/contract/rules'
import { unknownHealth } from '@flowpost/domain'
import type { Principal } from '../http/handler.ts'
import { type MockContext, timestamp } from '../state/mock-context.ts'
import type { FlowRecord, SettingsHistoryRecord } from '../state/store.ts'
import { historyStart } from './list-history.ts'

type FlowSettings = Omit<FlowRecord, 'id' | 'project_id' | 'condition' | 'checked_at' | 'created_at' | 'updated_at'>

/** The recorded changes to a flow, oldest first. */
type Changes = readonly SettingsHistoryRecord[]

/**
 * Returns a flow as it was before the first change for which `isLater` is true. Without such a change, returns the
 * current flow. Returns `undefined` if the flow did not exist at that time.
 */
const restoreFlow = (
  { store }: MockContext,
  changes: Changes,
  isLater: (change: SettingsHistoryRecord) => boolean,
): FlowRecord | undefined => {
  const next = changes.find(isLater)
  if (!next) return store.flows.get(changes[0]?.resource_id ?? '')
  const { before, resource_id, project_id, resourceCreatedAt, previousUpdatedAt } = next
  if (before === null || resource_id === null) return undefined
  const dates = { checked_at: null, created_at: resourceCreatedAt, updated_at: previousUpdatedAt ?? resourceCreatedAt }
  return { ...(before as unknown as FlowSettings), id: resource_id, project_id, condition: unknownHealth, ...dates }
}

/**
 * Returns the flows that a project had at an earlier time, in id order.
 *
 * @param isLater Returns whether a change was made after that time.
 */
export const restoreFlows = (
  context: MockContext,
  projectId: string,
  isLater: (change: SettingsHistoryRecord) => boolean,
): FlowRecord[] => {
  const changes = new Map<string, SettingsHistoryRecord[]>()
  for (const change of context.store.settingsHistory.values())
    if (change.kind === 'flow' && change.project_id === projectId && change.resource_id !== null)
      changes.set(change.resource_id, [...(changes.get(change.resource_id) ?? []), change])
  return [...changes.values()].flatMap((ofFlow) => restoreFlow(context, ofFlow, isLater) ?? []).sort((a, b) => (a.id < b.id ? -1 : 1))
}

/**
 * Returns a flow as it was at a given time.
 *
 * @throws {ApiError} `validation_failed` when the time is in the future or before the start of the history, and
 * `not_found` when the flow did not exist at that time or the credential cannot access it.
 */
export const findPastFlow = (
  context: MockContext,
  { userId, projectId }: Principal,
  { project_id = '', flow_id = '' }: Readonly<Record<string, string>>,
  given: string,
): FlowRecord => {
  const at = new Date(given).toISOString()
  const start = historyStart(context)
  const changes = [...context.store.settingsHistory.values()].filter(
    (change) => change.resource_id === flow_id && change.project_id === project_id && change.userId === userId,
  )
  // A requested time in the future is accepted if it is not later than the last change. The last change can have a `changed_at`
  // in the future, because each change is dated 1 ms after the previous change while the mock's clock stands still (see
  // `timeOfChange`).
  const latestChange = changes.at(-1)?.changed_at ?? ''
  if (at > timestamp(context) && at > latestChange) throw momentInFuture()
  if ((projectId ?? project_id) !== project_id) throw notFound()
  if (at < start) throw momentBeforeHistory(start)
  const flow = restoreFlow(context, changes, ({ changed_at }) => changed_at > at)
  if (!flow) throw notFound()
  // If `flow.updated_at` is later than the requested time `at`, the result has the time of the last recorded change before or at
  // `at` instead. `flow.updated_at` can be later, because a write that changes nothing also sets it, but is not in the history.
  const lastChange = changes.findLast(({ changed_at }) => changed_at <= at)?.changed_at ?? flow.created_at
  const updated_at = flow.updated_at <= at ? flow.updated_at : lastChange
  return { ...flow, condition: unknownHealth, checked_at: null, updated_at }
}
