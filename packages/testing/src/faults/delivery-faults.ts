import type { Failure } from '@flowpost/domain'

/** A way in which the delivery of a message goes wrong, as its provider tells it. */
export type NamedDeliveryFault =
  /** The receiver does not exist: for good. */
  | 'bounce'
  /** A chat does not know the channel: for good. */
  | 'channel_not_found'
  /** The credential is refused: for good. */
  | 'invalid_credential'
  /** The provider wants fewer messages: tried again. */
  | 'rate_limited'
  /** The provider is down: tried again. */
  | 'outage'
  /** The connection was lost after the message was handed over: nobody knows whether it was accepted. */
  | 'ambiguous'

/** What happens to the attempts at a target. */
export interface DeliveryFault {
  /** How they fail. Left out: they do not. */
  readonly fail?: NamedDeliveryFault | Failure
  /** How long each of them takes, in milliseconds on the clock of the mock. Default 0. */
  readonly delayMs?: number
  /** How long the provider asks to wait before the next one, in milliseconds. */
  readonly retryAfterMs?: number
  /** How many attempts it happens to; those after them go well. Default: all. */
  readonly times?: number
}

const failures: Readonly<Record<NamedDeliveryFault, Failure>> = {
  bounce: { kind: 'target', code: '5.1.1', detail: '550 5.1.1 The mailbox does not exist.', retryable: false },
  channel_not_found: {
    kind: 'target',
    code: 'channel_not_found',
    detail: 'Slack answered channel_not_found. There is no such channel, or the app cannot see it.',
    retryable: false,
  },
  invalid_credential: {
    kind: 'credential',
    code: 'authentication_failed',
    detail: 'The provider refused the credential.',
    retryable: false,
  },
  rate_limited: { kind: 'rate', code: 'rate_limited', detail: 'The provider asks for fewer messages.', retryable: true },
  outage: { kind: 'provider', code: 'connection_refused', detail: 'The provider cannot be reached.', retryable: true },
  ambiguous: {
    kind: 'ambiguous',
    code: 'connection_lost',
    detail: 'The connection was lost. The message had been handed over, so it may have been accepted.',
    retryable: true,
  },
}

/** What an attempt is to do. */
export interface PlannedAttempt {
  readonly failure: Failure | undefined
  readonly delayMs: number
  readonly retryAfterMs: number | undefined
}

/** The faults of targets. */
export interface DeliveryFaults {
  /** Sets what happens at a target, in place of what was set before. */
  set(target: string, fault: NamedDeliveryFault | DeliveryFault): void
  /** What happens at a target, without counting an attempt. */
  peek(target: string): Failure | undefined
  /** What the next attempt at a target is to do. */
  take(target: string): PlannedAttempt
  clear(): void
}

const failureOf = (fail: DeliveryFault['fail']): Failure | undefined => (typeof fail === 'string' ? failures[fail] : fail)

/** Makes the faults of targets: none. */
export const createDeliveryFaults = (): DeliveryFaults => {
  const byTarget = new Map<string, DeliveryFault & { left: number }>()
  const at = (target: string) => {
    const fault = byTarget.get(target)
    return fault && fault.left > 0 ? fault : undefined
  }
  return {
    set: (target, fault) => {
      const given = typeof fault === 'string' ? { fail: fault } : fault
      byTarget.set(target, { ...given, left: given.times ?? Number.POSITIVE_INFINITY })
    },
    peek: (target) => failureOf(at(target)?.fail),
    take: (target) => {
      const fault = at(target)
      if (fault) fault.left -= 1
      return { failure: failureOf(fault?.fail), delayMs: fault?.delayMs ?? 0, retryAfterMs: fault?.retryAfterMs }
    },
    clear: () => byTarget.clear(),
  }
}
