import { toPlannedFlows } from '@flowpost/contract/rules'
import { type DatedFlow, examineNotifications, type StoredNotification } from '@flowpost/domain'
import { orderOf } from '../deterministic.ts'
import type { SettingsConsequences } from '../state/api-types.ts'
import { type MockContext, providerOf, timestamp } from '../state/mock-context.ts'
import type { FlowRecord, NotificationRecord, ProjectRecord } from '../state/store.ts'
import type { SettingsPlanOf } from './write-settings.ts'

/**
 * Returns the time of a flow's last recorded change, in milliseconds since the epoch. The stored time of the change can be too late,
 * because each change is dated 1 ms after the previous one while the mock's clock stands still (see `timeOfChange`). If the
 * first notification sent after the change has an earlier stored time, returns that notification's time instead.
 *
 * @param notifications The project's notifications, oldest first.
 */
const lastChangeMs = ({ store }: MockContext, flow: FlowRecord, notifications: readonly NotificationRecord[]): number => {
  const change = [...store.settingsHistory.values()].findLast(({ resource_id }) => resource_id === flow.id)
  if (!change) return Date.parse(flow.updated_at)
  // The flow's `updated_at` can be later, because a write that changes nothing sets it, but has no history entry.
  const changedAtMs = Date.parse(change.changed_at)
  // Ids sort in creation order, so this is the first notification sent after the change.
  const next = notifications.find(({ id }) => orderOf(id) > orderOf(change.id))
  return next ? Math.min(changedAtMs, Date.parse(next.created_at)) : changedAtMs
}

const toStored = ({ id, created_at, subject, request, deliveries }: NotificationRecord): StoredNotification => ({
  id,
  createdAtMs: Date.parse(created_at),
  subject,
  address: { flowId: request.flow_id ?? undefined, hasTarget: request.has_target },
  deliveries: deliveries.map(({ flow_id, source_type, target, content }) => ({
    flowId: flow_id,
    sourceType: source_type,
    target,
    content,
  })),
})

/** Determines how a settings plan would have changed the deliveries of a project's past notifications. */
export const findConsequences = async (
  context: MockContext,
  project: ProjectRecord | undefined,
  plan: SettingsPlanOf,
): Promise<SettingsConsequences> => {
  const { flows, notifications } = context.store
  const past = [...notifications.values()].filter(({ project_id, test }) => project_id === project?.id && !test)
  const before = [...flows.values()]
    .filter(({ project_id }) => project_id === project?.id)
    .map((flow): DatedFlow & FlowRecord => ({
      ...flow,
      createdAtMs: Date.parse(flow.created_at),
      updatedAtMs: lastChangeMs(context, flow, past),
    }))
  const { sinceMs, ...consequences } = await examineNotifications([past.toReversed().map(toStored)], {
    before,
    after: toPlannedFlows(before, plan, ({ id }) => id),
    channelOf: (sourceType) => providerOf(context, sourceType),
    now: () => performance.now(),
    yieldTurn: () => Promise.resolve(),
  })
  return { ...consequences, since: sinceMs === null ? null : timestamp(context, sinceMs) }
}
