import type { Credential } from '../client/credential.ts'
import type { Provider } from '../provider.ts'

/**
 * The mock server's response to the next messages:
 * - `accept`: accepts them
 * - `reject`: rejects them permanently because of the message or the recipient
 * - `reject-credential`: rejects the credential permanently
 * - `throttle`: rejects them because of a rate limit, with a `Retry-After` of 7 seconds if the protocol supports it
 * - `fail`: reports a temporary failure
 * - `drop`: reads each message, then closes the connection without a response
 * - `hang`: reads each message and never responds
 *
 * The responses for `reject` and `reject-credential` should echo every secret that the server received, because a check
 * verifies that no secret appears in errors.
 */
export type ServerBehavior = 'accept' | 'reject' | 'reject-credential' | 'throttle' | 'fail' | 'drop' | 'hang'

/** A message as the mock server received it. */
export interface ReceivedMessage {
  readonly target: string
  /** The decoded text. */
  readonly text: string
}

/** A provider under test and its mock server. */
export interface ConformanceCase {
  readonly provider: Provider
  /** A credential that the server accepts. It must be `trusted`; otherwise, the provider cannot connect to 127.0.0.1. */
  readonly credential: Credential
  /** Two targets that belong to different recipients. */
  readonly targets: readonly [string, string]
  /** Targets that the provider must reject. */
  readonly invalidTargets: readonly string[]
  readonly setBehavior: (behavior: ServerBehavior) => void
  /** Returns the messages that the server has read completely, including those that it did not accept. */
  readonly received: () => readonly ReceivedMessage[]
  readonly close: () => Promise<void>
}

/** A check of one requirement that every provider must meet. */
export interface ConformanceCheck {
  readonly name: string
  /** Rejects with an explanation when the provider does not meet the requirement. */
  readonly run: () => Promise<void>
}
