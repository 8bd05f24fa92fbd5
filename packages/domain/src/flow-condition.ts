import type { Failure } from './failure.ts'

/** What is known of how a flow's messages get through. `At` is how instants are written. */
export interface FlowCondition<At = string | Date> {
  readonly status: 'unknown' | 'healthy' | 'unhealthy'
  /** Why it is unhealthy: the code and the words of the last failure, or of the check. */
  readonly code: string | null
  readonly detail: string | null
  /** Since when the status is what it is. */
  readonly since: At | null
  /** Where the cause of the last failures lies; `null` when there is none, or a check told of it. */
  readonly failingKind: 'target' | 'credential' | null
  /** How many deliveries have failed for good one after the other, counted up to {@link failuresToUnhealthy}. */
  readonly failuresInRow: number
}

/** How a delivery ended that tells something about its flow. */
export interface TellingOutcome {
  /** Whether it went to the flow's own target, and not to one that a request gave instead. */
  readonly toOwnTarget: boolean
  /** Why it failed for good; left out for one that was sent. */
  readonly failure?: Failure
}

/** A flow whose deliveries fail so many times in a row is unhealthy. */
export const failuresToUnhealthy = 10

/** What is known of a new flow, and of one whose target or credential has changed. */
export const unknownCondition: FlowCondition<never> = {
  status: 'unknown',
  code: null,
  detail: null,
  since: null,
  failingKind: null,
  failuresInRow: 0,
}

const withStatus = <At>(
  before: FlowCondition<At>,
  status: FlowCondition['status'],
  now: At,
): Pick<FlowCondition<At>, 'status' | 'since'> => (before.status === status ? { status, since: before.since } : { status, since: now })

const afterSuccess = <At>(before: FlowCondition<At>, now: At): FlowCondition<At> => ({
  ...unknownCondition,
  ...withStatus(before, 'healthy', now),
})

const afterFailure = <At>(before: FlowCondition<At>, failure: Failure, kind: 'target' | 'credential', now: At): FlowCondition<At> => {
  const failuresInRow = Math.min(before.failuresInRow + 1, failuresToUnhealthy)
  const counted = { ...before, failingKind: kind, failuresInRow }
  if (before.status !== 'unhealthy' && failuresInRow < failuresToUnhealthy) return counted
  return { ...counted, ...withStatus(before, 'unhealthy', now), code: failure.code, detail: failure.detail }
}

/**
 * What is known after a delivery has ended.
 *
 * - A message that was sent makes the flow healthy, unless it went to another target while the flow's own fails.
 * - A delivery that failed for good because of the credential, or because of the flow's own target, counts;
 *   at the tenth in a row the flow is unhealthy, for the reason of the last one.
 * - Everything else tells nothing about the flow: a target that a request gave, the content, a provider that is down.
 */
export const afterOutcome = <At>(before: FlowCondition<At>, { toOwnTarget, failure }: TellingOutcome, now: At): FlowCondition<At> => {
  if (!failure) return toOwnTarget || before.failingKind !== 'target' ? afterSuccess(before, now) : before
  if (failure.kind === 'credential' || (failure.kind === 'target' && toOwnTarget)) return afterFailure(before, failure, failure.kind, now)
  return before
}

/** What is known after a check: healthy when it found nothing wrong, else unhealthy for its first finding. */
export const afterCheck = <At>(
  before: FlowCondition<At>,
  findings: readonly { readonly ok: boolean; readonly code: string; readonly detail: string }[],
  now: At,
): FlowCondition<At> => {
  const wrong = findings.find(({ ok }) => !ok)
  if (!wrong) return afterSuccess(before, now)
  return { ...unknownCondition, ...withStatus(before, 'unhealthy', now), code: wrong.code, detail: wrong.detail }
}

/** Whether two conditions say the same, so that there is nothing to store. */
export const isSameCondition = (a: FlowCondition<unknown>, b: FlowCondition<unknown>): boolean =>
  a.status === b.status && a.code === b.code && a.failingKind === b.failingKind && a.failuresInRow === b.failuresInRow
