import type { Channel } from '../channels/channel.ts'
import { mailgunDescription } from '../channels/mailgun.ts'
import { slackDescription } from '../channels/slack.ts'
import { smtpDescription } from '../channels/smtp.ts'
import type { DeliveryPlan } from './plan-deliveries.ts'
import type { PlannableFlow } from './plannable-flow.ts'

/** Two email channels and a chat channel. No address is accepted by channels of both kinds. */
export const testChannels: readonly Channel[] = [mailgunDescription, smtpDescription, slackDescription]

/** A flow with an id. */
export interface NamedFlow extends PlannableFlow {
  readonly id: string
}

/** Returns a plan with one entry per delivery and flow ids instead of flows, so that tests can state it in a line. */
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
