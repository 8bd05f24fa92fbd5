import type { Failure } from '@flowpost/domain'

/** A predefined delivery failure. */
export type NamedDeliveryFault =
  /** The recipient does not exist. Permanent. */
  | 'bounce'
  /** The chat provider does not know the channel. Permanent. */
  | 'channel_not_found'
  /** The provider rejects the credential. Permanent. */
  | 'invalid_credential'
  /** The provider limits the rate of messages. Retried. */
  | 'rate_limited'
  /** The provider is unreachable. Retried. */
  | 'outage'
  /** The connection was lost after the message was sent, so the provider may or may not have accepted it. */
  | 'ambiguous'

/** The behavior of delivery attempts to a target. */
export interface DeliveryFault {
  /** The failure of each attempt. If omitted, the attempts succeed. */
  readonly fail?: NamedDeliveryFault | Failure | undefined
  /**
   * Duration of each attempt in milliseconds on the mock's clock.
   * @default 0
   */
  readonly delayMs?: number | undefined
  /** The delay that the provider requests before the next attempt, in milliseconds. */
  readonly retryAfterMs?: number | undefined
  /** The number of affected attempts; later attempts succeed. Defaults to all attempts. */
  readonly times?: number | undefined
}

const failures: Readonly<Record<NamedDeliveryFault, Failure>> = {
  bounce: { kind: 'target', code: '5.1.1', detail: '550 5.1.1 The mailbox does not exist.', retryable: false },
  channel_not_found: {
    kind: 'target',
    code: 'channel_not_found',
    detail: 'Slack responded with channel_not_found. The channel does not exist, or the app cannot access it.',
    retryable: false,
  },
  invalid_credential: {
    kind: 'credential',
    code: 'authentication_failed',
    detail: 'The provider rejected the credential.',
    retryable: false,
  },
  rate_limited: { kind: 'rate', code: 'rate_limited', detail: 'The provider limits the rate of messages.', retryable: true },
  outage: { kind: 'provider', code: 'connection_refused', detail: 'The provider cannot be reached.', retryable: true },
  ambiguous: {
    kind: 'ambiguous',
    code: 'connection_lost',
    detail: 'The connection was lost after the message was sent, so the provider may have accepted it.',
    retryable: true,
  },
}

/** The planned behavior of one attempt. */
export interface PlannedAttempt {
  readonly failure: Failure | undefined
  readonly delayMs: number
  readonly retryAfterMs: number | undefined
}

/** The faults injected into deliveries, keyed by target. */
export interface DeliveryFaults {
  /**
   * Sets the fault for a target. Replaces any previous fault for that target.
   *
   * @throws {TypeError} When there is no delivery fault with this name.
   */
  set(target: string, fault: NamedDeliveryFault | DeliveryFault): void
  /** Returns the failure of the next attempt to a target, without counting an attempt. */
  peek(target: string): Failure | undefined
  /** Returns the behavior of the next attempt to a target, and counts the attempt. */
  take(target: string): PlannedAttempt
  clear(): void
}

const failureOf = (fail: DeliveryFault['fail']): Failure | undefined => (typeof fail === 'string' ? failures[fail] : fail)

/** Creates an empty set of delivery faults. */
export const createDeliveryFaults = (): DeliveryFaults => {
  const byTarget = new Map<string, DeliveryFault & { remaining: number }>()
  const activeFault = (target: string) => {
    const fault = byTarget.get(target)
    return fault && fault.remaining > 0 ? fault : undefined
  }
  return {
    set: (target, fault) => {
      const settings = typeof fault === 'string' ? { fail: fault } : fault
      const { fail } = settings
      if (typeof fail === 'string' && !Object.hasOwn(failures, fail))
        throw new TypeError(`There is no delivery fault ${fail}. Use one of: ${Object.keys(failures).join(', ')}.`)
      byTarget.set(target, { ...settings, remaining: settings.times ?? Number.POSITIVE_INFINITY })
    },
    peek: (target) => failureOf(activeFault(target)?.fail),
    take: (target) => {
      const fault = activeFault(target)
      if (fault) fault.remaining -= 1
      return { failure: failureOf(fault?.fail), delayMs: fault?.delayMs ?? 0, retryAfterMs: fault?.retryAfterMs }
    },
    clear: () => byTarget.clear(),
  }
}
