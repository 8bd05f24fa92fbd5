import type { ReportedReceipt } from '@flowpost/domain'
import type { Clock } from '../clock.ts'

/** The context passed to `readReport`. Contains a report that the provider or a mail server posted to the deployment. */
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
 * - `unauthenticated`: Nothing proves that the provider sent the report, or its timestamp is too far in the future. If the
 *   provider sends the report again, it may be accepted.
 * - `rejected`: The report is too old, cannot be parsed, or lacks a required field. The provider should not send it again.
 * - `ignored`: The report contains no final outcome of a message, or does not identify the delivery.
 * - `receipt`: The report contains the final outcome of a message.
 */
export type Report =
  | { readonly status: 'unauthenticated' }
  | { readonly status: 'rejected'; readonly detail: string }
  | { readonly status: 'ignored' }
  | ReceiptReport

/** A report about the final outcome of a message. */
export interface ReceiptReport {
  readonly status: 'receipt'
  /** The delivery id that the message carries. The server checks that the delivery belongs to the integration. */
  readonly deliveryId: string
  readonly receipt: ReportedReceipt
  /** A value that the provider uses only once. Until `expiresAt`, another report with the same value is rejected. */
  readonly nonce?: { readonly value: string; readonly expiresAt: Date }
}
