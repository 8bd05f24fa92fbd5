import type { Channel } from './channels/channel.ts'
import type { RenderedContent, TextType } from './content.ts'
import { contentFaults } from './content-limits.ts'
import { planDeliveries, type RefusedPlan, type SkippedFlow } from './plan-deliveries.ts'
import type { PlannableFlow } from './plannable-flow.ts'
import type { BodyFault, Refusal } from './refusal.ts'
import { renderMessage } from './template.ts'
import { utf8Length } from './text-length.ts'

/** What is planned for: the fields of a send that matter here, as the wire has them. */
export interface NotificationRequest {
  readonly flow_id?: string | undefined
  readonly target?: string | undefined
  readonly subject: string
  readonly message: string
  readonly message_type: TextType
}

/** What planning needs to know of a flow, whatever form its id has. */
export interface TemplatedFlow extends Omit<PlannableFlow, 'id'> {
  readonly message_template: string
  readonly message_template_type: TextType
}

/** A flow that a notification triggers: the message as it will be sent, and the receivers. */
export interface MatchedFlow<Flow> {
  readonly flow: Flow
  /** The id of the flow as the wire has it. */
  readonly flowId: string
  readonly content: RenderedContent
  readonly targets: readonly string[]
  /** Why the message cannot be sent through the flow's provider, in words; usually empty. */
  readonly contentFaults: readonly string[]
}

/** A flow that a notification leaves out, and why. */
export interface LeftOutFlow<Flow> extends SkippedFlow {
  readonly flow: Flow
}

/** What a notification does with each flow. */
export interface NotificationPlan<Flow> {
  readonly ok: true
  readonly matched: readonly MatchedFlow<Flow>[]
  readonly skipped: readonly LeftOutFlow<Flow>[]
}

/** What to plan a notification with. */
export interface PlanNotificationDeps<Flow> {
  /** The id of a flow as the wire has it, which the messages of a refusal name. */
  readonly idOf: (flow: Flow) => string
  /** The channel of a source type; `undefined` when no provider of the name is registered. */
  readonly channelOf: (sourceType: string) => Channel | undefined
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
  { idOf, channelOf }: PlanNotificationDeps<Flow>,
): NotificationPlan<Flow> | RefusedPlan | Refusal<'content_too_long'> => {
  const flowById = new Map(flows.map((flow) => [idOf(flow), flow]))
  const plan = planDeliveries({
    flows: [...flowById].map(([id, flow]) => ({ ...flow, id })),
    named: request.flow_id !== undefined,
    override: request.target,
    channelOf,
  })
  if (!plan.ok) return plan
  const flowOf = (id: string): Flow => {
    const flow = flowById.get(id)
    if (!flow) throw new Error(`The plan names ${id}, which is not one of its flows.`)
    return flow
  }
  const targetsById = new Map<string, string[]>()
  for (const { flowId, target } of plan.deliveries) {
    const targets = targetsById.get(flowId)
    if (targets) targets.push(target)
    else targetsById.set(flowId, [target])
  }
  const matched: MatchedFlow<Flow>[] = []
  let renderedBytes = 0
  for (const [flowId, targets] of targetsById) {
    const flow = flowOf(flowId)
    const channel = channelOf(flow.source_type)
    if (!channel) throw new Error(`The plan has a delivery for ${flowId}, whose provider is not served.`)
    const content = render(flow, request, channel)
    matched.push({ flow, flowId, content, targets, contentFaults: contentFaults(content, channel.limits).map(({ message }) => message) })
    renderedBytes += contentBytes(content)
    const refusal = renderedBytes > mostStoredBytes && contentRefusal(matched)
    if (refusal) return refusal
  }
  return { ok: true, matched, skipped: plan.skipped.map(({ flowId, reason }) => ({ flowId, reason, flow: flowOf(flowId) })) }
}

const render = (flow: TemplatedFlow, { subject, message, message_type }: NotificationRequest, channel: Channel): RenderedContent => {
  const { message_template: template, message_template_type: templateType } = flow
  return renderMessage({ template, templateType, subject, message, messageType: message_type }, channel)
}

/** How many deliveries a plan makes. */
export const deliveryCount = ({ matched }: Pick<NotificationPlan<unknown>, 'matched'>): number =>
  matched.reduce((sum, { targets }) => sum + targets.length, 0)

/** The bytes of all parts of a message in UTF-8. */
export const contentBytes = ({ subject, text, html = '' }: RenderedContent): number =>
  utf8Length(subject) + utf8Length(text) + utf8Length(html)

/**
 * Why a plan that can be routed cannot be accepted: `integration_missing` for flows that there is no credential for, then
 * `content_too_long` for a message that a provider could not take, or that is too large for all its receivers together.
 * @param missing The providers that can neither send nor be captured.
 */
export const refusalOf = <Flow extends TemplatedFlow>(
  { matched }: NotificationPlan<Flow>,
  missing: ReadonlySet<string>,
): Refusal<'integration_missing' | 'content_too_long'> | undefined => {
  const unsendable = matched.filter(({ flow }) => missing.has(flow.source_type))
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
  const total = matched.reduce((sum, { content, targets }) => sum + targets.length * contentBytes(content), 0)
  if (total <= mostStoredBytes) return undefined
  return tooLong(`The rendered messages of all deliveries have over ${mostStoredBytes} bytes together, which is the most.`, [])
}

const tooLong = (detail: string, errors: readonly BodyFault[]) => ({ ok: false, code: 'content_too_long', detail, errors }) as const
