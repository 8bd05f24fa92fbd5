import type { CaptureDecision } from './capture-decision.ts'
import type { SkippedFlow } from './plan-deliveries.ts'
import type { MatchedFlow, NotificationPlan, TemplatedFlow } from './plan-notification.ts'

/** The effect of a notification on one flow, with the API's field names. */
export interface ExplainedFlow {
  flow_id: string
  source_type: string
  outcome: 'matched' | 'skipped'
  reason: 'inactive' | 'not_targeted' | null
  targets: string[]
  /** The suppressed targets, a subset of `targets`. */
  suppressed: string[]
  captured: boolean
  content: { subject: string; text: string; html: string | null; bytes: number } | null
  /** Problems with this flow that would block sending; usually empty. */
  faults: { code: 'content_too_long' | 'integration_missing'; message: string }[]
}

/**
 * Explains a notification's plan. Returns one entry for each matched or skipped flow, ordered by flow id.
 * @param isSuppressed Returns whether a recipient is suppressed.
 */
export const explainPlan = <Flow extends TemplatedFlow>(
  plan: NotificationPlan<Flow>,
  decision: CaptureDecision,
  isSuppressed: (sourceType: string, target: string) => boolean,
): ExplainedFlow[] =>
  [...plan.matched.map((match) => explainMatched(match, decision, isSuppressed)), ...plan.skipped.map(explainSkipped)].sort((a, b) =>
    a.flow_id < b.flow_id ? -1 : 1,
  )

const explainMatched = <Flow extends TemplatedFlow>(
  { flow, flowId, content, bytes, targets, contentIssues }: MatchedFlow<Flow>,
  { captured, missing }: CaptureDecision,
  isSuppressed: (sourceType: string, target: string) => boolean,
): ExplainedFlow => {
  const issues: ExplainedFlow['faults'] = contentIssues.map((message) => ({ code: 'content_too_long', message }))
  if (missing.has(flow.source_type))
    issues.push({ code: 'integration_missing', message: `No credentials are configured for ${flow.source_type}.` })
  return {
    flow_id: flowId,
    source_type: flow.source_type,
    outcome: 'matched',
    reason: null,
    targets: [...targets],
    suppressed: targets.filter((target) => isSuppressed(flow.source_type, target)),
    captured: captured.has(flow.source_type),
    content: { subject: content.subject, text: content.text, html: content.html ?? null, bytes },
    faults: issues,
  }
}

const explainSkipped = <Flow extends TemplatedFlow>({ flow, flowId, reason }: SkippedFlow<Flow>): ExplainedFlow => ({
  flow_id: flowId,
  source_type: flow.source_type,
  outcome: 'skipped',
  reason,
  targets: [],
  suppressed: [],
  captured: false,
  content: null,
  faults: [],
})
