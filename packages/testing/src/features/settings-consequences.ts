import { toPlannedFlows } from '@flowpost/contract/rules'
import { type DatedFlow, examineNotifications, type StoredNotification } from '@flowpost/domain'
import type { SettingsConsequences } from '../state/api-types.ts'
import { type MockContext, providerOf, timestamp } from '../state/mock-context.ts'
import type { FlowRecord, NotificationRecord, ProjectRecord } from '../state/store.ts'
import type { SettingsPlanOf } from './write-settings.ts'

const toDated = (flow: FlowRecord): DatedFlow => ({
  ...flow,
  createdAtMs: Date.parse(flow.created_at),
  updatedAtMs: Date.parse(flow.updated_at),
})

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

/** Determines how a plan would have affected a project's past notifications. */
export const findConsequences = async (
  context: MockContext,
  project: ProjectRecord | undefined,
  plan: SettingsPlanOf,
): Promise<SettingsConsequences> => {
  const { flows, notifications } = context.store
  const before = [...flows.values()].filter(({ project_id }) => project_id === project?.id).map(toDated)
  const past = [...notifications.values()].filter(({ project_id, test }) => project_id === project?.id && !test).reverse()
  const { sinceMs, ...consequences } = await examineNotifications([past.map(toStored)], {
    before,
    after: toPlannedFlows(before, plan, ({ id }) => id),
    channelOf: (sourceType) => providerOf(context, sourceType),
    now: () => performance.now(),
    yieldTurn: () => Promise.resolve(),
  })
  return { ...consequences, since: sinceMs === null ? null : timestamp(context, sinceMs) }
}
