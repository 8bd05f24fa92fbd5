import type { DeliveryPlan } from './plan-deliveries.ts'
import type { PlannableFlow } from './plannable-flow.ts'

/** A flow by its id. */
export interface NamedFlow extends PlannableFlow {
  readonly id: string
}

/** A plan by the ids of its flows, one entry for each delivery, so that tests can state it in a line. */
export const flatPlan = (plan: DeliveryPlan<NamedFlow>) =>
  plan.ok
    ? {
        ok: true as const,
        deliveries: plan.routed.flatMap(({ flow, flowId, targets }) =>
          targets.map((target) => ({ flowId, sourceType: flow.source_type, target })),
        ),
        skipped: plan.skipped.map(({ flowId, reason }) => ({ flowId, reason })),
      }
    : plan
