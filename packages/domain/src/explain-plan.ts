import type { CaptureDecision } from './capture-decision.ts'
import type { SkippedFlow } from './plan-deliveries.ts'
import type { MatchedFlow, NotificationPlan, TemplatedFlow } from './plan-notification.ts'

/** What a notification would do with a flow, as the wire has it. */
export interface ExplainedFlow {
  flow_id: string
  source_type: string
  outcome: 'matched' | 'skipped'
  reason: 'inactive' | 'not_targeted' | null
  targets: string[]
  captured: boolean
  content: { subject: string; text: string; html: string | null; bytes: number } | null
  faults: { code: 'content_too_long' | 'integration_missing'; message: string }[]
}

/** Explains what a send would do with each flow, matched or skipped, in the order of their ids. */
export const explainPlan = <Flow extends TemplatedFlow>(plan: NotificationPlan<Flow>, decision: CaptureDecision): ExplainedFlow[] =>
  [...plan.matched.map((each) => explainMatched(each, decision)), ...plan.skipped.map(explainSkipped)].sort((a, b) =>
    a.flow_id < b.flow_id ? -1 : 1,
  )

const explainMatched = <Flow extends TemplatedFlow>(
  { flow, flowId, content, bytes, targets, contentFaults }: MatchedFlow<Flow>,
  { captured, missing }: CaptureDecision,
): ExplainedFlow => ({
  flow_id: flowId,
  source_type: flow.source_type,
  outcome: 'matched',
  reason: null,
  targets: [...targets],
  captured: captured.has(flow.source_type),
  content: { subject: content.subject, text: content.text, html: content.html ?? null, bytes },
  faults: [
    ...contentFaults.map((message) => ({ code: 'content_too_long' as const, message })),
    ...(missing.has(flow.source_type)
      ? [{ code: 'integration_missing' as const, message: `There are no credentials to deliver with through ${flow.source_type}.` }]
      : []),
  ],
})

const explainSkipped = <Flow extends TemplatedFlow>({ flow, flowId, reason }: SkippedFlow<Flow>): ExplainedFlow => ({
  flow_id: flowId,
  source_type: flow.source_type,
  outcome: 'skipped',
  reason,
  targets: [],
  captured: false,
  content: null,
  faults: [],
})
