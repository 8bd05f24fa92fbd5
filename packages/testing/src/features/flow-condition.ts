import type { Failure } from '@flowpost/domain'
import type { FlowCondition } from '../state/records.ts'

/** A flow whose deliveries fail so many times in a row is unhealthy. */
const failuresToUnhealthy = 10

/** What is known of a new flow, and of one whose target or credential has changed. */
export const unknownCondition: FlowCondition = {
  status: 'unknown',
  code: null,
  detail: null,
  since: null,
  failingKind: null,
  failuresInRow: 0,
}

const withStatus = (before: FlowCondition, status: FlowCondition['status'], now: string): Pick<FlowCondition, 'status' | 'since'> =>
  before.status === status ? { status, since: before.since } : { status, since: now }

const afterSuccess = (before: FlowCondition, now: string): FlowCondition => ({
  ...unknownCondition,
  ...withStatus(before, 'healthy', now),
})

const afterFailure = (before: FlowCondition, failure: Failure, kind: 'target' | 'credential', now: string): FlowCondition => {
  const failuresInRow = Math.min(before.failuresInRow + 1, failuresToUnhealthy)
  const counted = { ...before, failingKind: kind, failuresInRow }
  if (before.status !== 'unhealthy' && failuresInRow < failuresToUnhealthy) return counted
  return { ...counted, ...withStatus(before, 'unhealthy', now), code: failure.code, detail: failure.detail }
}

/**
 * What is known after a delivery has ended: one that was sent makes the flow healthy, unless it went to another target
 * while the flow's own fails; one that failed for good because of the credential or the flow's own target counts, and
 * the tenth in a row makes it unhealthy; anything else tells nothing.
 */
export const afterOutcome = (before: FlowCondition, toOwnTarget: boolean, failure: Failure | null, now: string): FlowCondition => {
  const after = tellingOutcome(before, toOwnTarget, failure, now)
  return isSame(before, after) ? before : after
}

const tellingOutcome = (before: FlowCondition, toOwnTarget: boolean, failure: Failure | null, now: string): FlowCondition => {
  if (!failure) return toOwnTarget || before.failingKind !== 'target' ? afterSuccess(before, now) : before
  if (failure.kind === 'credential' || (failure.kind === 'target' && toOwnTarget)) return afterFailure(before, failure, failure.kind, now)
  return before
}

const isSame = (a: FlowCondition, b: FlowCondition): boolean =>
  a.status === b.status && a.code === b.code && a.failingKind === b.failingKind && a.failuresInRow === b.failuresInRow

/** What is known after a check: healthy when it found nothing wrong, else unhealthy for its first finding. */
export const afterCheck = (
  before: FlowCondition,
  findings: readonly { readonly ok: boolean; readonly code: string; readonly detail: string }[],
  now: string,
): FlowCondition => {
  const wrong = findings.find(({ ok }) => !ok)
  if (!wrong) return afterSuccess(before, now)
  return { ...unknownCondition, ...withStatus(before, 'unhealthy', now), code: wrong.code, detail: wrong.detail }
}
