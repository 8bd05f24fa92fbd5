import { explainPlan } from '@flowpost/domain'
import type { Principal } from '../http/call.ts'
import type { NotificationPreview } from '../state/wire.ts'
import type { World } from '../state/world.ts'
import { captureDecision } from './credentials.ts'
import { planNotification, type SendBody, sendAt, triggeredFlows } from './plan-notification.ts'
import { findProject } from './projects.ts'

/**
 * Explains what a send of this body would do. Stores nothing.
 * @throws ApiError where a send would be refused before any flow is looked at.
 */
export const previewNotification = (world: World, principal: Principal, body: SendBody): NotificationPreview => {
  sendAt(body, world.clock.now())
  const project = findProject(world, principal, body.project_id)
  const plan = planNotification(world, triggeredFlows(world, project.id, body.flow_id), body)
  const sourceTypes = plan.matched.map(({ flow }) => flow.source_type)
  return { flows: explainPlan(plan, captureDecision(world, project.id, sourceTypes)) }
}
