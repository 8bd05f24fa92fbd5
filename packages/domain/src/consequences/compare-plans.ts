import type { PlanDeps } from '../planning/plan-deliveries.ts'
import {
  type MatchedFlow,
  type NotificationRequest,
  planNotification,
  rejectionOf,
  type TemplatedFlow,
} from '../planning/plan-notification.ts'

/** A flow in the old or the new settings. */
export interface ComparedFlow extends TemplatedFlow {
  /** The flow's id. A flow that exists in both settings has the same id in both. */
  readonly id: string
}

/** The effect of a request under given settings: the flows that it reaches, or the code of its rejection. */
export type Outcome = { readonly matched: readonly MatchedFlow<ComparedFlow>[] } | { readonly rejection: string }

/** The rejection code for a request that names a nonexistent flow. */
export const flowMissing = 'not_found'

/** The difference between a request's outcomes under the old and the new settings. */
export interface OutcomeDifference {
  /** The number of deliveries under the old settings, keyed by `source_type`. */
  readonly before: ReadonlyMap<string, number>
  /** The number of deliveries under the new settings, keyed by `source_type`. */
  readonly after: ReadonlyMap<string, number>
  /** The rejection code if the new settings reject the request and the old ones do not; otherwise `undefined`. */
  readonly rejection: string | undefined
  readonly hasChangedMessage: boolean
  readonly hasChangedTarget: boolean
}

/** Returns the outcome that a request has in a project with the given flows. Assumes that every provider has a credential. */
export const planOutcome = (
  flows: readonly ComparedFlow[],
  request: NotificationRequest,
  channelOf: PlanDeps<never>['channelOf'],
): Outcome => {
  const candidates = request.flow_id === undefined ? flows : flows.filter(({ id }) => id === request.flow_id)
  if (request.flow_id !== undefined && candidates.length === 0) return { rejection: flowMissing }
  const plan = planNotification(candidates, request, { idOf: ({ id }) => id, channelOf })
  const rejection = plan.ok ? rejectionOf(plan, new Set()) : plan
  return rejection || !plan.ok ? { rejection: rejection?.code ?? '' } : { matched: plan.matched }
}

const matchedOf = (outcome: Outcome): readonly MatchedFlow<ComparedFlow>[] => ('matched' in outcome ? outcome.matched : [])

const countByProvider = (outcome: Outcome): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const { flow, targets } of matchedOf(outcome)) counts.set(flow.source_type, (counts.get(flow.source_type) ?? 0) + targets.length)
  return counts
}

const isSameMessage = ({ content: a }: MatchedFlow<ComparedFlow>, { content: b }: MatchedFlow<ComparedFlow>): boolean =>
  a.subject === b.subject && a.text === b.text && a.html === b.html

const hasSameTargets = (a: MatchedFlow<ComparedFlow>, b: MatchedFlow<ComparedFlow>): boolean =>
  a.flow.source_type === b.flow.source_type && a.targets.join('\n') === b.targets.join('\n')

/** Compares a request's outcomes under the old and the new settings. */
export const compareOutcomes = (before: Outcome, after: Outcome): OutcomeDifference => {
  const remaining = new Map(matchedOf(after).map((match) => [match.flow.id, match]))
  const both = matchedOf(before).flatMap((match) => {
    const next = remaining.get(match.flow.id)
    return next ? [[match, next] as const] : []
  })
  return {
    before: countByProvider(before),
    after: countByProvider(after),
    rejection: 'rejection' in after && !('rejection' in before) ? after.rejection : undefined,
    hasChangedMessage: both.some(([old, next]) => !isSameMessage(old, next)),
    hasChangedTarget: both.some(([old, next]) => !hasSameTargets(old, next)),
  }
}
