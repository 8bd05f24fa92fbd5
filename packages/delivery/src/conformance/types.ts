import type { Credential } from '../credential.ts'
import type { Provider } from '../provider.ts'

/**
 * What the server does with the next messages:
 * - `accept`: takes them
 * - `refuse`: refuses them for good, for a reason that lies in message or receiver
 * - `refuse-credential`: refuses the credential, for good
 * - `throttle`: asks to slow down; by `Retry-After` of 7 seconds where the protocol has it
 * - `fail`: has a fault that will pass
 * - `drop`: breaks the connection off after it has read the message, without an answer
 * - `hang`: reads the message and never answers
 *
 * With `refuse` and `refuse-credential` it repeats every secret that it was given in its answer, where it can.
 */
export type Behaviour = 'accept' | 'refuse' | 'refuse-credential' | 'throttle' | 'fail' | 'drop' | 'hang'

/** A message as the server understood it. */
export interface ReceivedMessage {
  readonly target: string
  /** The text, decoded from whatever the protocol wraps it in. */
  readonly text: string
}

/** A provider with what is needed to put it to the test. */
export interface ConformanceCase {
  readonly provider: Provider
  /** One that the server accepts. Marked `trusted`, since the server listens on 127.0.0.1. */
  readonly credential: Credential
  /** Two targets that reach different receivers. */
  readonly targets: readonly [string, string]
  /** Addresses that the provider must refuse. */
  readonly badTargets: readonly string[]
  readonly behave: (behaviour: Behaviour) => void
  /** Messages that were read whole, whether accepted or not. What the suite sends is cut to the provider's limits. */
  readonly received: () => readonly ReceivedMessage[]
  readonly close: () => Promise<void>
}

/** One thing that a provider must do. */
export interface ConformanceCheck {
  readonly name: string
  /** Rejects with what is wrong. */
  readonly run: () => Promise<void>
}
