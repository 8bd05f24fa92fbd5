import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SettingsConsequences } from '@flowpost/contract'
import { toPlannedFlows } from '@flowpost/contract/rules'
import { type DatedFlow, examineNotifications, type StoredNotification } from '@flowpost/domain'
import type { z } from 'zod'
import { timestamp } from '../../database/database.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import { candidateFlows } from '../flows/flow.queries.ts'
import type { CandidateFlow } from '../flows/flow.serializer.ts'
import { readLastChanges } from '../settings-history/last-changes.ts'
import { type ApplyRequest, type ApplySettingsDeps, findProject, planFor } from './apply-settings.ts'
import { readSettings } from './stored-settings.ts'

/** The dependencies of {@link findConsequences}. */
export interface ConsequencesDeps extends ApplySettingsDeps {
  /** Reads a project's notifications that were accepted at or after `since`, newest first, in pages. */
  readonly readPast: (of: { userId: string; projectId: Uuid; since: Date }) => AsyncIterable<readonly StoredNotification[]>
  /** How long messages are stored after their notifications are completed, in milliseconds. */
  readonly contentMs: number
  /** A monotonic clock, in milliseconds. @default performance.now */
  readonly now?: () => number
}

/** @param lastChange the time of the flow's last recorded change; see {@link readLastChanges}. */
const toDated = ({ id, message_template: template, ...flow }: CandidateFlow, lastChange: Date | undefined): DatedFlow => ({
  ...flow,
  id: toId('flow', id),
  message_template: template ?? '',
  createdAtMs: Date.parse(timestamp(flow.created_at)),
  updatedAtMs: Math.min(Date.parse(timestamp(flow.updated_at)), lastChange?.getTime() ?? Infinity),
})

/**
 * Returns the effects that the settings in the request would have had on recent notifications. Locks the project only
 * while reading its current settings. Call this function only after a dry run, because the dry run checks `If-Match` and
 * this function does not.
 * @throws ApiError `not_found`, `settings_too_large` or `too_many_event_endpoints`.
 */
export const findConsequences = async (deps: ConsequencesDeps, request: ApplyRequest): Promise<z.output<typeof SettingsConsequences>> => {
  const { database, channels, clock, contentMs, readPast, now = () => performance.now() } = deps
  const settings = await database.transaction(async (transaction) => {
    const project = await findProject(transaction, request, 'share')
    if (!project) return undefined
    // Does not check `If-Match`. The dry run has checked it, and the settings may have changed since. If a client repeats a
    // request with the same idempotency key, the route adds new consequences to the stored response of the first dry run. If
    // `If-Match` were checked here, such a request could be rejected, because its `If-Match` may be outdated.
    const plan = planFor(deps, { ...request, ifMatch: undefined }, await readSettings(transaction, project, false))
    const flows = await candidateFlows(transaction, project.id, undefined)
    const ids = flows.map(({ id }) => id)
    return { projectId: project.id, plan, flows, lastChanges: await readLastChanges(transaction, ids) }
  })
  const before = (settings?.flows ?? []).map((flow) => toDated(flow, settings?.lastChanges.get(flow.id)))
  // If the total size of the active flows' templates exceeds a limit, these templates are not read and are `null`. In that
  // case, no notification is examined, because notifications cannot be planned without templates.
  const canPlan = (settings?.flows ?? []).every(({ message_template }) => message_template !== null)
  const since = new Date(clock.now().getTime() - contentMs)
  const { sinceMs, ...consequences } = await examineNotifications(
    settings ? readPast({ userId: request.principal.userId, projectId: settings.projectId, since }) : [],
    {
      before,
      after: settings ? toPlannedFlows(before, settings.plan, ({ id }) => toId('flow', id)) : before,
      channelOf: (sourceType) => channels.get(sourceType),
      ...(canPlan ? {} : { maxNotifications: 0 }),
      now,
      yieldTurn: () => nextTurn(),
    },
  )
  return { ...consequences, since: sinceMs === null ? null : new Date(sinceMs).toISOString() }
}
