import type { Failure } from './failure.ts'

/** The health of a flow: whether its messages are being delivered. `At` is the type of the timestamps. */
export interface FlowHealth<At = string | Date> {
  readonly status: 'unknown' | 'healthy' | 'unhealthy'
  /**
   * The code of the most recent problem: either a delivery failure that counts (see {@link updateHealthAfterDelivery}) or
   * the first failed step of a check. `null` unless `status` is `unhealthy`.
   */
  readonly code: string | null
  /** Explains `code`; `null` unless `status` is `unhealthy`. */
  readonly detail: string | null
  /** When `status` last changed; `null` while `status` is `unknown`. */
  readonly since: At | null
  /**
   * The cause of the latest delivery failure that counts (see {@link updateHealthAfterDelivery}). `null` if no such failure has
   * occurred since the latest check, or since a sent message made the flow healthy. Changing the target or the credential also
   * resets it to `null`.
   */
  readonly failingKind: 'target' | 'credential' | null
  /**
   * The number of consecutive failures, at most {@link failuresToUnhealthy}. Includes only failures that count: see
   * {@link updateHealthAfterDelivery}.
   */
  readonly failuresInRow: number
}

/** The final outcome of a delivery. */
export interface DeliveryOutcome {
  /** Whether the delivery went to the flow's own target rather than to a target override. */
  readonly toFlowTarget: boolean
  /** Why the delivery failed permanently; `undefined` if the message was sent. */
  readonly failure?: Failure
}

/** The number of consecutive failures that make a flow unhealthy. */
export const failuresToUnhealthy = 10

/** The health of a new flow, and of a flow whose target or credential has changed. */
export const unknownHealth: FlowHealth<never> = {
  status: 'unknown',
  code: null,
  detail: null,
  since: null,
  failingKind: null,
  failuresInRow: 0,
}

const withStatus = <At>(before: FlowHealth<At>, status: FlowHealth['status'], now: At): Pick<FlowHealth<At>, 'status' | 'since'> =>
  before.status === status ? { status, since: before.since } : { status, since: now }

const afterSuccess = <At>(before: FlowHealth<At>, now: At): FlowHealth<At> => ({
  ...unknownHealth,
  ...withStatus(before, 'healthy', now),
})

const afterFailure = <At>(before: FlowHealth<At>, failure: Failure, kind: 'target' | 'credential', now: At): FlowHealth<At> => {
  const failuresInRow = Math.min(before.failuresInRow + 1, failuresToUnhealthy)
  const updated = { ...before, failingKind: kind, failuresInRow }
  if (before.status !== 'unhealthy' && failuresInRow < failuresToUnhealthy) return updated
  return { ...updated, ...withStatus(before, 'unhealthy', now), code: failure.code, detail: failure.detail }
}

/**
 * Returns a flow's health after one of its deliveries was sent or failed permanently.
 *
 * - A sent message makes the flow healthy. Exception: while the flow's own target is failing (`failingKind` is `target`), a
 *   message to a target override changes nothing.
 * - A permanent failure counts if its cause is the credential or the flow's own target. The tenth consecutive failure
 *   that counts makes the flow unhealthy, with the code of that failure. While the flow is unhealthy, each further failure
 *   that counts replaces the code.
 * - Other failures change nothing, because they say nothing about the flow. Examples are an invalid target override, invalid
 *   content and an unavailable provider.
 */
export const updateHealthAfterDelivery = <At>(
  before: FlowHealth<At>,
  { toFlowTarget, failure }: DeliveryOutcome,
  now: At,
): FlowHealth<At> => {
  if (!failure) return toFlowTarget || before.failingKind !== 'target' ? afterSuccess(before, now) : before
  if (failure.kind === 'credential' || (failure.kind === 'target' && toFlowTarget)) return afterFailure(before, failure, failure.kind, now)
  return before
}

/** Returns a flow's health after a check: healthy if all steps passed, otherwise unhealthy with the code of the first failed step. */
export const updateHealthAfterCheck = <At>(
  before: FlowHealth<At>,
  steps: readonly { readonly ok: boolean; readonly code: string; readonly detail: string }[],
  now: At,
): FlowHealth<At> => {
  const failedStep = steps.find(({ ok }) => !ok)
  if (!failedStep) return afterSuccess(before, now)
  return { ...unknownHealth, ...withStatus(before, 'unhealthy', now), code: failedStep.code, detail: failedStep.detail }
}

/** Returns whether two health values are equal, ignoring `detail` and `since`. If so, nothing needs to be stored. */
export const isSameHealth = (a: FlowHealth<unknown>, b: FlowHealth<unknown>): boolean =>
  a.status === b.status && a.code === b.code && a.failingKind === b.failingKind && a.failuresInRow === b.failuresInRow
