import type { Failure } from './failure.ts'

/** The health of a flow: whether its messages are being delivered. `At` is the type of its timestamps. */
export interface FlowHealth<At = string | Date> {
  readonly status: 'unknown' | 'healthy' | 'unhealthy'
  /** The code of the last failure or of the failed check; `null` unless unhealthy. */
  readonly code: string | null
  /** The explanation of the code; `null` unless unhealthy. */
  readonly detail: string | null
  /** When the status took its current value; `null` while it is `unknown`. */
  readonly since: At | null
  /** The cause of the most recent failures; `null` after a success or a check. */
  readonly failingKind: 'target' | 'credential' | null
  /** The number of consecutive permanent failures, up to {@link failuresToUnhealthy}. */
  readonly failuresInRow: number
}

/** The outcome of a delivery. */
export interface DeliveryOutcome {
  /** Whether the delivery went to the target of the flow, not to an override. */
  readonly toFlowTarget: boolean
  /** The permanent failure; `undefined` if the message was sent. */
  readonly failure?: Failure
}

/** The number of consecutive permanent failures that make a flow unhealthy. */
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
 * Returns the health of a flow after a delivery.
 *
 * - A sent message makes the flow healthy, unless it went to an override while the target of the flow is failing.
 * - A permanent failure because of the credential or the target of the flow counts. The tenth consecutive one makes the
 *   flow unhealthy, with the code of the last failure.
 * - Other failures say nothing about the flow: those of an override, of the content, or of an unavailable provider.
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

/** Returns the health of a flow after a check: healthy if all steps passed, else unhealthy with the code of the first failed step. */
export const updateHealthAfterCheck = <At>(
  before: FlowHealth<At>,
  steps: readonly { readonly ok: boolean; readonly code: string; readonly detail: string }[],
  now: At,
): FlowHealth<At> => {
  const failedStep = steps.find(({ ok }) => !ok)
  if (!failedStep) return afterSuccess(before, now)
  return { ...unknownHealth, ...withStatus(before, 'unhealthy', now), code: failedStep.code, detail: failedStep.detail }
}

/** Returns whether two healths are equal, so that no update needs to be stored. */
export const isSameHealth = (a: FlowHealth<unknown>, b: FlowHealth<unknown>): boolean =>
  a.status === b.status && a.code === b.code && a.failingKind === b.failingKind && a.failuresInRow === b.failuresInRow
