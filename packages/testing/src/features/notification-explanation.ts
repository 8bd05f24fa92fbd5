import { explainDeliveries } from '@flowpost/domain'
import { orderOf } from '../deterministic.ts'
import type { NotificationExplanation } from '../state/api-types.ts'
import { type MockContext, providerOf } from '../state/mock-context.ts'
import type { NotificationRecord } from '../state/store.ts'
import { restoreFlows } from './past-flows.ts'

/** Explains which flows a notification triggered, based on the settings at the time of acceptance. */
export const explainNotification = (context: MockContext, notification: NotificationRecord): NotificationExplanation => {
  const { id, project_id, created_at, request, deliveries } = notification
  const flows = restoreFlows(context, project_id, (change) => orderOf(change.id) > orderOf(id))
  const effects = explainDeliveries({
    address: { flowId: request.flow_id ?? undefined, hasTarget: request.has_target },
    deliveries: deliveries.map(({ flow_id, source_type, target }) => ({ flowId: flow_id, sourceType: source_type, target })),
    flows: flows.map((flow) => ({ flowId: flow.id, states: [flow] })),
    channelOf: (sourceType) => providerOf(context, sourceType),
  })
  const explanation = { notification_id: id, accepted_at: created_at, request }
  if (!effects) {
    const detail = 'The recorded settings do not match the deliveries of the notification.'
    return { ...explanation, flows: null, unknown: { code: 'settings_not_recorded', detail } }
  }
  return {
    ...explanation,
    flows: effects.map(({ flowId, flow: { key, name, source_type }, outcome, reason }) => ({
      flow_id: flowId,
      key,
      name,
      source_type,
      outcome,
      reason,
    })),
    unknown: null,
  }
}
