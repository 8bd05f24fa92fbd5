import type { RenderedContent, TextType } from './content.ts'
import { contentFaults } from './content-limits.ts'
import { type PlanDeps, planDeliveries, type RefusedPlan, type RoutedFlow, type SkippedFlow } from './plan-deliveries.ts'
import type { PlannableFlow } from './plannable-flow.ts'
import type { BodyFault, Refusal } from './refusal.ts'
import { createRendering, tooManyBytes } from './rendering.ts'

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

// Every delivery is stored with its message, so a large one to many receivers must have an end.
const mostStoredBytes = 32 * 1_048_576

/**
 * Decides which flows a notification triggers, with which targets, and renders the message for each.
 * All or nothing: a message meant for one person never falls back to another.
 * Ends as `content_too_long` as soon as it is certain that the request renders too much: see {@link createRendering}.
 * @param flows The candidates: all flows of the project, or the one that the request names.
 * @param onRendered Is told once how much was rendered, in bytes, also where the request is refused for it.
 */
export const planNotification = <Flow extends TemplatedFlow>(
  flows: readonly Flow[],
  request: NotificationRequest,
  deps: PlanDeps<Flow>,
  onRendered: (bytes: number) => void = () => {},
): NotificationPlan<Flow> | RefusedPlan | Refusal<'content_too_long'> => {
  const plan = planDeliveries({ ...deps, flows, named: request.flow_id !== undefined, override: request.target })
  if (!plan.ok) return plan
  const matched: MatchedFlow<Flow>[] = []
  const rendering = createRendering(request)
  for (const { flow, flowId, targets } of plan.routed) {
    const channel = deps.channelOf(flow.source_type)
    if (!channel) throw new Error(`The plan has a delivery for ${flowId}, whose provider is not served.`)
    const rendered = rendering.render(flow, channel)
    if (rendered.ok) {
      const { content, bytes } = rendered
      const faults = contentFaults(content, channel.limits, bytes).map(({ message }) => message)
      matched.push({ flow, flowId, targets, content, bytes, contentFaults: faults })
    }
    const excess = rendered.ok ? rendering.excess() : `For flow ${flowId}: ${rendered.message}`
    if (excess === undefined) continue
    onRendered(rendering.cost())
    const faults = contentErrors(matched)
    return faults.length > 0 ? providerRefusal(faults) : tooMuchRendered(excess)
  }
  onRendered(rendering.cost())
  return { ok: true, matched, skipped: plan.skipped }
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
  const errors = contentErrors(matched)
  if (errors.length > 0) return providerRefusal(errors)
  const total = matched.reduce((sum, { bytes, targets }) => sum + targets.length * bytes, 0)
  if (total <= mostStoredBytes) return undefined
  return tooLong(`The rendered messages of all deliveries have over ${mostStoredBytes} bytes together, which is the most.`, [])
}

/** One error for each flow whose message its provider could not take. */
const contentErrors = <Flow>(matched: readonly MatchedFlow<Flow>[]): BodyFault[] =>
  matched.flatMap(({ flowId, contentFaults: [fault] }): BodyFault[] =>
    fault === undefined ? [] : [{ pointer: '/message', code: 'content_too_long', message: `For flow ${flowId}: ${fault}` }],
  )

const providerRefusal = (errors: readonly BodyFault[]) => tooLong('The rendered message is over a limit of its provider.', errors)

/** Refuses a request that renders too much. */
export const tooMuchRendered = (detail: string = tooManyBytes): Refusal<'content_too_long'> =>
  tooLong(detail, [{ pointer: '/message', code: 'content_too_long', message: detail }])

const tooLong = (detail: string, errors: readonly BodyFault[]) => ({ ok: false, code: 'content_too_long', detail, errors }) as const
