import type { NotificationPreview } from '@flowpost/contract'
import { type CaptureMode, type Channels, explainPlan } from '@flowpost/domain'
import type { z } from 'zod'
import type { Principal } from '../../auth/principal.ts'
import type { Database, Queryable } from '../../database/database.ts'
import { notFound } from '../../shared/api-error.ts'
import type { Clock } from '../../shared/clock.ts'
import { fromId, type Uuid } from '../../shared/ids.ts'
import type { Recipients } from '../delivery/recipients/recipients.ts'
import { findSuppressed, suppressesAny } from '../delivery/suppressions/find-suppressed.ts'
import { candidateFlows, templatesOfFlows } from '../flows/flow.queries.ts'
import type { CandidateFlow } from '../flows/flow.serializer.ts'
import type { Credentials } from '../integrations/credentials.ts'
import { getProject } from '../projects/project.queries.ts'
import { parseSchedule, planCapture, planNotification, requireKnownSimulations, type SendBody } from './plan-notification.ts'
import { resolveProjectAndFlow } from './resolve-project-and-flow.ts'
import { uncached } from './send-context.ts'

/** The dependencies of {@link previewNotification}. */
export interface PreviewDeps {
  readonly database: Database
  readonly clock: Clock
  readonly channels: Channels
  readonly credentials: Credentials
  readonly recipients: Recipients
  readonly capture: CaptureMode
}

/**
 * Explains for each flow whether sending `request` would trigger the flow. For a triggered flow, the result contains
 * the message, the targets and any problems: missing credentials, or a message that exceeds a provider's limit. Sends
 * and stores nothing.
 * @throws ApiError when the project or flow does not exist, when the request is invalid, or when the notification as a
 * whole is too large.
 */
export const previewNotification = async (
  { database, clock, channels, credentials, recipients, capture }: PreviewDeps,
  principal: Principal,
  request: SendBody,
  onRendered: (bytes: number) => void,
): Promise<z.output<typeof NotificationPreview>> => {
  const body = await resolveProjectAndFlow(database, uncached, principal, request)
  parseSchedule(body, clock.now(), channels)
  const { id: projectId } = await getProject(database, principal, body.project_id)
  const flows = await matchingFlows(database, projectId, body.flow_id)
  const plan = await planNotification(flows, body, channels, (ids) => templatesOfFlows(database, projectId, ids), onRendered)
  const test = principal.mode === 'test'
  if (test) requireKnownSimulations(plan, channels)
  const decision = await planCapture(
    test ? 'on' : capture,
    plan.matched.map(({ flow }) => flow.source_type),
    async (sourceType) => (await credentials.find(database, { userId: principal.userId, projectId, sourceType })) !== undefined,
  )
  const isSuppressed = await loadSuppressions(database, recipients, { userId: principal.userId, projectId }, plan.matched)
  return { flows: explainPlan(plan, decision, isSuppressed) }
}

/** Returns a predicate that is true for the recipients that the project suppresses. */
const loadSuppressions = async (
  on: Queryable,
  recipients: Recipients,
  owner: { readonly userId: string; readonly projectId: Uuid },
  matched: readonly { readonly flow: { readonly source_type: string }; readonly targets: readonly string[] }[],
): Promise<(sourceType: string, target: string) => boolean> => {
  const [project] = await on.query<{ suppresses: boolean }>(`select ${suppressesAny('$1::uuid')} as suppresses`, [owner.projectId])
  if (!project?.suppresses) return () => false
  const candidates = matched.flatMap(({ flow, targets }) => targets.map((target) => ({ source_type: flow.source_type, target })))
  const suppressionOf = await findSuppressed(on, recipients, owner, candidates)
  return (source_type, target) => suppressionOf({ source_type, target }) !== undefined
}

/**
 * Reads the flows that a notification may trigger: the flow that the request names, or all flows of the project.
 * @throws ApiError `not_found` for a named flow that is not in the project.
 */
const matchingFlows = async (on: Queryable, projectId: Uuid, flowId: string | undefined): Promise<CandidateFlow[]> => {
  const uuid = flowId === undefined ? undefined : fromId('flow', flowId)
  if (flowId !== undefined && uuid === undefined) throw notFound()
  const flows = await candidateFlows(on, projectId, uuid)
  if (uuid !== undefined && flows.length === 0) throw notFound()
  return flows
}
