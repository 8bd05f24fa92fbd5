import type { ReportedReceipt } from '@flowpost/domain'
import type { Clock } from '../clock.ts'

/** A report that a provider, or a mail server on its behalf, has posted to the deployment. */
export interface ReportContext<Settings = unknown, Secrets = unknown> {
  /** The body of the request. Its media type is the provider's `reportType`. */
  readonly body: Uint8Array
  /** The envelope recipient of a bounce, if the mail server passed it on. */
  readonly recipient?: string | undefined
  readonly settings: Settings
  readonly secrets: Secrets
  readonly clock: Clock
}

/**
 * The result of reading a report:
 * - `unauthenticated`: nothing proves that the provider sent it;
 * - `rejected`: it is too old, or a field that every report has is missing. The provider should not repeat it;
 * - `ignored`: it contains no final outcome of a message;
 * - `receipt`: the final outcome of a message.
 */
export type Report =
  | { readonly status: 'unauthenticated' }
  | { readonly status: 'rejected'; readonly detail: string }
  | { readonly status: 'ignored' }
  | ReceiptReport

/** A report about the final outcome of a message. */
export interface ReceiptReport {
  readonly status: 'receipt'
  /** The id that the message carries. The server checks that it belongs to the integration. */
  readonly deliveryId: string
  readonly receipt: ReportedReceipt
  /** A value that the provider uses only once. A report with the same value is rejected until `expiresAt`. */
  readonly nonce?: { readonly value: string; readonly expiresAt: Date }
}
