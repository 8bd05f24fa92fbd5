import type { RetryPolicy } from '@flowpost/domain'
import type { SourceType } from './named-types.ts'
import type { MockProvider } from './state/providers.ts'

/** How to make a mock. */
export interface MockOptions {
  /** What everything random is drawn from: identifiers, jitter, chances. The same seed gives the same. Default 1. */
  readonly seed?: number
  /** When the clock of the mock begins. Default: the time of the machine. Give it to have the same identifiers in every run. */
  readonly now?: Date | string | number
  /**
   * Whether time passes by itself while somebody waits for something: a client for the pause between two attempts, a
   * read for a notification to settle, a request for its latency. With `manual` only `clock.advance` lets it pass.
   * Default `auto`.
   */
  readonly time?: 'auto' | 'manual'
  /** Where the mock seems to be. Default `http://flowpost.test`. */
  readonly baseUrl?: string
  /** A key with all scopes of the user `local`. Default: one made from the seed. */
  readonly apiKey?: string
  /** The providers that it serves. Default: those that Flowpost brings. */
  readonly providers?: readonly MockProvider[]
  /** The providers that the deployment has credentials for. Default: all of them. */
  readonly credentials?: readonly SourceType[]
  /** Which messages are captured instead of sent, as `FLOWPOST_CAPTURE`. Default `off`. */
  readonly capture?: 'on' | 'off' | 'missing'
  /** When failed deliveries are tried again. Default: as the server does. */
  readonly retryPolicy?: Partial<RetryPolicy>
  /** What becomes of a message of which nobody knows whether it was accepted, as `FLOWPOST_AMBIGUOUS`. Default `retry`. */
  readonly ambiguous?: 'retry' | 'hold'
  /** Most bytes of a request body. Default 1 MiB. */
  readonly bodyLimitBytes?: number
  /** Most deliveries that may wait, as `FLOWPOST_QUEUE_LIMIT`. Default: no limit. */
  readonly queueLimit?: number
}
