import type { NotificationPreview } from '@flowpost/contract'
import type { z } from 'zod'
import type { Database } from '../../database/database.ts'
import type { Clock } from '../../shared/clock.ts'
import { toId } from '../../shared/ids.ts'
import type { Principal } from '../../shared/principal.ts'
import type { Channels } from '../flows/channels.ts'
import type { Credentials } from '../integrations/credentials.ts'
import { getProject } from '../projects/project-queries.ts'
import { type CaptureDecision, decideCapture } from './capture-decision.ts'
import { contentBytes, type LeftOutFlow, type MatchedFlow, planNotification, type SendBody, sendAt } from './plan-notification.ts'
import { triggeredFlows } from './triggered-flows.ts'

type Preview = z.output<typeof NotificationPreview>
type PreviewedFlow = Preview['flows'][number]

/** What a preview needs. */
export interface PreviewDeps {
  readonly database: Database
  readonly clock: Clock
  readonly channels: Channels
  readonly credentials: Credentials
  readonly capture: 'on' | 'off' | 'missing'
}

/**
 * Explains what a send of this body would do. Sends and stores nothing.
 * @throws ApiError where a send would be refused before any flow is looked at.
 */
export const previewNotification = async (deps: PreviewDeps, principal: Principal, body: SendBody): Promise<Preview> => {
  sendAt(body, deps.clock.now())
  const project = await getProject(deps.database, principal, body.project_id)
  const flows = await triggeredFlows(deps.database, project.id, body.flow_id)
  const plan = planNotification(flows, body, deps.channels)
  const owner = { userId: principal.userId, projectId: project.id }
  const decision = await decideCapture(
    deps.database,
    deps,
    owner,
    plan.matched.map(({ flow }) => flow.source_type),
  )
  const explained = [...plan.matched.map((each) => explainMatched(each, decision)), ...plan.skipped.map(explainSkipped)]
  return { flows: explained.sort((a, b) => (a.flow_id < b.flow_id ? -1 : 1)) }
}

const explainMatched = ({ flow, content, targets, contentFaults }: MatchedFlow, decision: CaptureDecision): PreviewedFlow => ({
  flow_id: toId('flow', flow.id),
  source_type: flow.source_type,
  outcome: 'matched',
  reason: null,
  targets: [...targets],
  captured: decision.captured.has(flow.source_type),
  content: {
    subject: content.subject,
    text: content.text,
    html: content.html ?? null,
    bytes: contentBytes(content),
  },
  faults: [
    ...contentFaults.map((message) => ({ code: 'content_too_long' as const, message })),
    ...(decision.missing.has(flow.source_type)
      ? [{ code: 'integration_missing' as const, message: `There are no credentials to deliver with through ${flow.source_type}.` }]
      : []),
  ],
})

const explainSkipped = ({ flow, reason }: LeftOutFlow): PreviewedFlow => ({
  flow_id: toId('flow', flow.id),
  source_type: flow.source_type,
  outcome: 'skipped',
  reason,
  targets: [],
  captured: false,
  content: null,
  faults: [],
})
