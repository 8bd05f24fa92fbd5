import { findContentIssues, type RenderedContent, type TextType } from '../rendering/content.ts'
import { createRendering, tooManyBytes } from '../rendering/rendering.ts'
import { type PlanDeps, planDeliveries, type RejectedPlan, type RoutedFlow, type SkippedFlow } from './plan-deliveries.ts'
import type { PlannableFlow } from './plannable-flow.ts'
import type { BodyIssue, Rejection } from './rejection.ts'

/** The fields of a send request that planning needs, with the API's field names. */
export interface NotificationRequest {
  readonly flow_id?: string | undefined
  readonly target?: string | undefined
  readonly subject: string
  readonly message: string
  readonly message_type: TextType
}

/** The fields of a flow that planning and rendering need. */
export interface TemplatedFlow extends PlannableFlow {
  readonly message_template: string
  readonly message_template_type: TextType
}

/** A flow that a notification triggers, with its targets and the rendered message. */
export interface MatchedFlow<Flow> extends RoutedFlow<Flow> {
  readonly content: RenderedContent
  /** The total size, in UTF-8 bytes, of the subject, text and HTML. */
  readonly bytes: number
  /** One explanation for each content limit that the rendered message exceeds; usually empty. */
  readonly contentIssues: readonly string[]
}

/** The effect of a notification on each flow: matched or skipped. */
export interface NotificationPlan<Flow> {
  readonly ok: true
  readonly matched: readonly MatchedFlow<Flow>[]
  readonly skipped: readonly SkippedFlow<Flow>[]
}

// Every delivery stores its own copy of the message, so the total size of all copies needs a limit.
const maxStoredBytes = 32 * 1_048_576

/**
 * Plans the deliveries of a notification and renders the message for each matching flow. If {@link planDeliveries}
 * rejects the notification, returns that rejection. Otherwise, rejects the notification with `content_too_long` as soon
 * as rendering exceeds a limit of {@link createRendering}, or if the messages of all deliveries together are too large.
 * @param flows The flows to consider: all of the project's flows, or only the flow that the request names.
 * @param onRendered Called with the rendering cost in bytes when rendering ends, even if the request is then rejected
 * because of that cost.
 */
export const planNotification = <Flow extends TemplatedFlow>(
  flows: readonly Flow[],
  request: NotificationRequest,
  deps: PlanDeps<Flow>,
  onRendered: (bytes: number) => void = () => {},
): NotificationPlan<Flow> | RejectedPlan | Rejection<'content_too_long'> => {
  const plan = planDeliveries({ ...deps, flows, named: request.flow_id !== undefined, override: request.target })
  if (!plan.ok) return plan
  const matched: MatchedFlow<Flow>[] = []
  const rendering = createRendering(request)
  for (const { flow, flowId, targets } of plan.routed) {
    const channel = deps.channelOf(flow.source_type)
    if (!channel) throw new Error(`The plan has a delivery for flow ${flowId}, but the flow's provider is not registered.`)
    const rendered = rendering.render(flow, channel)
    if (rendered.ok) {
      const { content, bytes } = rendered
      const contentIssues = findContentIssues(content, channel.limits, bytes).map(({ message }) => message)
      matched.push({ flow, flowId, targets, content, bytes, contentIssues })
    }
    const excess = rendered.ok ? rendering.excess() : `For flow ${flowId}: ${rendered.message}`
    if (excess === undefined) continue
    onRendered(rendering.cost())
    const errors = listContentErrors(matched)
    return errors.length > 0 ? rejectLongContent(errors) : rejectRenderingCost(excess)
  }
  onRendered(rendering.cost())
  return findSizeRejection(matched) ?? { ok: true, matched, skipped: plan.skipped }
}

/** Returns the number of deliveries that a plan creates. */
export const countDeliveries = ({ matched }: Pick<NotificationPlan<unknown>, 'matched'>): number =>
  matched.reduce((sum, { targets }) => sum + targets.length, 0)

/**
 * Returns a plan's rejection, or `undefined` if the plan can be accepted. The code is `integration_missing` if a matching
 * flow's provider is in `missing`, and `content_too_long` if a message exceeds a limit of its provider.
 * @param missing The `source_type` of each provider that can neither send nor capture messages.
 */
export const rejectionOf = <Flow extends TemplatedFlow>(
  { matched }: NotificationPlan<Flow>,
  missing: ReadonlySet<string>,
): Rejection<'integration_missing' | 'content_too_long'> | undefined => {
  const unsendable = missing.size === 0 ? [] : matched.filter(({ flow }) => missing.has(flow.source_type))
  if (unsendable.length > 0) {
    const flowNames = unsendable.slice(0, 10).map(({ flow, flowId }) => `${flowId} (${flow.source_type})`)
    return {
      ok: false,
      code: 'integration_missing',
      detail: `No credentials are configured for ${flowNames.join(', ')}.`,
      errors: [],
    }
  }
  const errors = listContentErrors(matched)
  return errors.length > 0 ? rejectLongContent(errors) : undefined
}

/** Returns a rejection if the messages of all deliveries together exceed `maxStoredBytes`; otherwise `undefined`. */
const findSizeRejection = <Flow>(matched: readonly MatchedFlow<Flow>[]): Rejection<'content_too_long'> | undefined => {
  const total = matched.reduce((sum, { bytes, targets }) => sum + targets.length * bytes, 0)
  if (total <= maxStoredBytes) return undefined
  const errors = listContentErrors(matched)
  if (errors.length > 0) return rejectLongContent(errors)
  return rejectTooLong(`The rendered messages of all deliveries together exceed the limit of ${maxStoredBytes} bytes.`, [])
}

/** Returns one error for each flow whose message exceeds a limit of its provider. */
const listContentErrors = <Flow>(matched: readonly MatchedFlow<Flow>[]): BodyIssue[] =>
  matched.flatMap(({ flowId, contentIssues: [issue] }): BodyIssue[] =>
    issue === undefined ? [] : [{ pointer: '/message', code: 'content_too_long', message: `For flow ${flowId}: ${issue}` }],
  )

const rejectLongContent = (errors: readonly BodyIssue[]) => rejectTooLong('The rendered message exceeds a limit of its provider.', errors)

/** Returns the rejection for a request that exceeds a rendering limit. */
export const rejectRenderingCost = (detail: string = tooManyBytes): Rejection<'content_too_long'> =>
  rejectTooLong(detail, [{ pointer: '/message', code: 'content_too_long', message: detail }])

const rejectTooLong = (detail: string, errors: readonly BodyIssue[]) => ({ ok: false, code: 'content_too_long', detail, errors }) as const
