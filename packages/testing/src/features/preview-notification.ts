import type { Principal } from '../http/call.ts'
import type { NotificationPreview, PreviewedFlow } from '../state/wire.ts'
import type { World } from '../state/world.ts'
import { type CaptureDecision, decideCapture } from './credentials.ts'
import { contentBytes, type MatchedFlow, planNotification, type SendBody, sendAt, triggeredFlows } from './plan-notification.ts'
import { findProject } from './projects.ts'

const explain = ({ flow, content, targets, contentFaults }: MatchedFlow, { captured, missing }: CaptureDecision): PreviewedFlow => ({
  flow_id: flow.id,
  source_type: flow.source_type,
  outcome: 'matched',
  reason: null,
  targets: [...targets],
  captured: captured.has(flow.source_type),
  content: { subject: content.subject, text: content.text, html: content.html ?? null, bytes: contentBytes(content) },
  faults: [
    ...contentFaults.map((message) => ({ code: 'content_too_long' as const, message })),
    ...(missing.has(flow.source_type)
      ? [{ code: 'integration_missing' as const, message: `There are no credentials to deliver with through ${flow.source_type}.` }]
      : []),
  ],
})

/**
 * Explains what a send of this body would do. Stores nothing.
 * @throws ApiError where a send would be refused before any flow is looked at.
 */
export const previewNotification = (world: World, principal: Principal, body: SendBody): NotificationPreview => {
  sendAt(body, world.clock.now())
  const project = findProject(world, principal, body.project_id)
  const plan = planNotification(world, triggeredFlows(world, project.id, body.flow_id), body)
  const sourceTypes = plan.matched.map(({ flow }) => flow.source_type)
  const decision = decideCapture(world, project.id, sourceTypes)
  const skipped = plan.skipped.map(
    ({ flow, reason }): PreviewedFlow => ({
      flow_id: flow.id,
      source_type: flow.source_type,
      outcome: 'skipped',
      reason,
      targets: [],
      captured: false,
      content: null,
      faults: [],
    }),
  )
  const flows = [...plan.matched.map((each) => explain(each, decision)), ...skipped]
  return { flows: flows.sort((a, b) => (a.flow_id < b.flow_id ? -1 : 1)) }
}
