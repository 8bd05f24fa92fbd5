import type { Channel } from './channels/channel.ts'
import type { RenderedContent, TextType } from './content.ts'
import { contentBytes, contentFaults } from './content-limits.ts'
import { type PlanDeps, planDeliveries, type RefusedPlan, type RoutedFlow, type SkippedFlow } from './plan-deliveries.ts'
import type { PlannableFlow } from './plannable-flow.ts'
import type { BodyFault, Refusal } from './refusal.ts'
import { splitTemplateOf } from './split-template.ts'
import { renderMessage } from './template.ts'

/** What is planned for: the fields of a send that matter here, as the wire has them. */
export interface NotificationRequest {
  readonly flow_id?: string | undefined
  readonly target?: string | undefined
  readonly subject: string
  readonly message: string
  readonly message_type: TextType
}

/** What planning needs to know of a flow, and its template. */
export interface TemplatedFlow extends PlannableFlow {
  readonly message_template: string
  readonly message_template_type: TextType
}

/** A flow that a notification triggers: the message as it will be sent, and the receivers. */
export interface MatchedFlow<Flow> extends RoutedFlow<Flow> {
  readonly content: RenderedContent
  /** The bytes of all parts of the content in UTF-8. */
  readonly bytes: number
  /** Why the message cannot be sent through the flow's provider, in words; usually empty. */
  readonly contentFaults: readonly string[]
}

/** What a notification does with each flow. */
export interface NotificationPlan<Flow> {
  readonly ok: true
  readonly matched: readonly MatchedFlow<Flow>[]
  readonly skipped: readonly SkippedFlow<Flow>[]
}

// Every delivery is stored with its message, so a large one to many receivers must have an end. Nor is more than that
// rendered: a short template makes megabytes of a long message, and a project may have any number of flows.
const mostStoredBytes = 32 * 1_048_576

/**
 * Decides which flows a notification triggers, with which targets, and renders the message for each.
 * All or nothing: a message meant for one person never falls back to another.
 * Ends as `content_too_long` as soon as it is certain that the messages are too large together.
 * @param flows The candidates: all flows of the project, or the one that the request names.
 */
export const planNotification = <Flow extends TemplatedFlow>(
  flows: readonly Flow[],
  request: NotificationRequest,
  deps: PlanDeps<Flow>,
): NotificationPlan<Flow> | RefusedPlan | Refusal<'content_too_long'> => {
  const plan = planDeliveries({ ...deps, flows, named: request.flow_id !== undefined, override: request.target })
  if (!plan.ok) return plan
  const matched: MatchedFlow<Flow>[] = []
  let renderedBytes = 0
  for (const { flow, flowId, targets } of plan.routed) {
    const channel = deps.channelOf(flow.source_type)
    if (!channel) throw new Error(`The plan has a delivery for ${flowId}, whose provider is not served.`)
    const content = render(flow, request, channel)
    const bytes = contentBytes(content)
    const faults = contentFaults(content, channel.limits, bytes).map(({ message }) => message)
    matched.push({ flow, flowId, targets, content, bytes, contentFaults: faults })
    renderedBytes += bytes
    const refusal = renderedBytes > mostStoredBytes && contentRefusal(matched)
    if (refusal) return refusal
  }
  return { ok: true, matched, skipped: plan.skipped }
}

const render = (flow: TemplatedFlow, { subject, message, message_type }: NotificationRequest, channel: Channel): RenderedContent => {
  const { message_template: template, message_template_type: templateType } = flow
  return renderMessage({ template, templateType, subject, message, messageType: message_type }, channel, splitTemplateOf(flow))
}

/** How many deliveries a plan makes. */
export const deliveryCount = ({ matched }: Pick<NotificationPlan<unknown>, 'matched'>): number =>
  matched.reduce((sum, { targets }) => sum + targets.length, 0)

/**
 * Why a plan that can be routed cannot be accepted: `integration_missing` for flows that there is no credential for, then
 * `content_too_long` for a message that a provider could not take, or that is too large for all its receivers together.
 * @param missing The providers that can neither send nor be captured.
 */
export const refusalOf = <Flow extends TemplatedFlow>(
  { matched }: NotificationPlan<Flow>,
  missing: ReadonlySet<string>,
): Refusal<'integration_missing' | 'content_too_long'> | undefined => {
  const unsendable = missing.size === 0 ? [] : matched.filter(({ flow }) => missing.has(flow.source_type))
  if (unsendable.length > 0) {
    const named = unsendable.slice(0, 10).map(({ flow, flowId }) => `${flowId} (${flow.source_type})`)
    return {
      ok: false,
      code: 'integration_missing',
      detail: `There are no credentials to deliver with for ${named.join(', ')}.`,
      errors: [],
    }
  }
  return contentRefusal(matched)
}

const contentRefusal = <Flow>(matched: readonly MatchedFlow<Flow>[]): Refusal<'content_too_long'> | undefined => {
  const errors = matched.flatMap(({ flowId, contentFaults: [fault] }): BodyFault[] =>
    fault === undefined ? [] : [{ pointer: '/message', code: 'content_too_long', message: `For flow ${flowId}: ${fault}` }],
  )
  if (errors.length > 0) return tooLong('The rendered message is over a limit of its provider.', errors)
  const total = matched.reduce((sum, { bytes, targets }) => sum + targets.length * bytes, 0)
  if (total <= mostStoredBytes) return undefined
  return tooLong(`The rendered messages of all deliveries have over ${mostStoredBytes} bytes together, which is the most.`, [])
}

const tooLong = (detail: string, errors: readonly BodyFault[]) => ({ ok: false, code: 'content_too_long', detail, errors }) as const
