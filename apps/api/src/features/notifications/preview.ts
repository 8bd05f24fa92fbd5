import type { NotificationPreview } from '@flowpost/contract'
import { type CaptureMode, type Channels, explainPlan } from '@flowpost/domain'
import type { z } from 'zod'
import type { Principal } from '../../auth/principal.ts'
import type { Database } from '../../database/database.ts'
import type { Clock } from '../../shared/clock.ts'
import { templatesOfFlows } from '../flows/flow.queries.ts'
import type { Credentials } from '../integrations/credentials.ts'
import { getProject } from '../projects/project.queries.ts'
import { captureDecision, credentialsOf } from './capture-decision.ts'
import { matchingFlows } from './matching-flows.ts'
import { planNotification, type SendBody, sendAt } from './plan.ts'

type Preview = z.output<typeof NotificationPreview>

/** What a preview needs. */
export interface PreviewDeps {
  readonly database: Database
  readonly clock: Clock
  readonly channels: Channels
  readonly credentials: Credentials
  readonly capture: CaptureMode
}

/**
 * Explains what a send of this body would do. Sends and stores nothing.
 * @throws ApiError where a send would be refused before any flow is looked at.
 */
export const previewNotification = async (
  deps: PreviewDeps,
  principal: Principal,
  body: SendBody,
  onRendered: (bytes: number) => void,
): Promise<Preview> => {
  sendAt(body, deps.clock.now())
  const project = await getProject(deps.database, principal, body.project_id)
  const flows = await matchingFlows(deps.database, project.id, body.flow_id)
  const plan = await planNotification(flows, body, deps.channels, (ids) => templatesOfFlows(deps.database, project.id, ids), onRendered)
  const owner = { userId: principal.userId, projectId: project.id }
  const decision = await captureDecision(
    deps.capture,
    plan.matched.map(({ flow }) => flow.source_type),
    credentialsOf(deps.credentials, deps.database, owner),
  )
  return { flows: explainPlan(plan, decision) }
}
