import type { Channel } from '../channels/channel.ts'
import { mailgunDescription } from '../channels/mailgun.ts'
import { slackDescription } from '../channels/slack.ts'
import { smtpDescription } from '../channels/smtp.ts'
import type { DeliveryPlan } from './plan-deliveries.ts'
import type { PlannableFlow } from './plannable-flow.ts'

/** Two email channels and one chat channel. The email channels reject every address that the chat channel accepts. */
export const testChannels: readonly Channel[] = [mailgunDescription, smtpDescription, slackDescription]

/** A flow with an id, so that tests can refer to it. */
export interface NamedFlow extends PlannableFlow {
  readonly id: string
}

/** Flattens a plan for short assertions: lists one entry per delivery, and replaces each flow with its id. */
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
