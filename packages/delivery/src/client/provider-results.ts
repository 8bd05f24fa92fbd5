import { DeliveryError } from '../delivery-error.ts'
import type { CheckResult, SendResult } from '../provider.ts'

/**
 * Replaces malformed fields in the result of `send`. The result is never rejected, because a provider that did not throw has
 * sent the message.
 */
export function normalizeSendResult(result: Partial<SendResult> | null | undefined): SendResult {
  return {
    providerMessageId: typeof result?.providerMessageId === 'string' ? result.providerMessageId : null,
    response: toText(result?.response ?? ''),
    ...(typeof result?.code === 'string' ? { code: result.code } : {}),
  }
}

/**
 * Validates the results of `check`. The code of a result may be any value, because it is validated when it is redacted.
 *
 * @throws DeliveryError `provider_fault` when a result is malformed.
 */
export function normalizeCheckResults(results: unknown): readonly CheckResult[] {
  if (Array.isArray(results) && results.every(isCheckResult)) return results
  throw new DeliveryError({ kind: 'provider', code: 'provider_fault', detail: 'The provider returned a malformed check result.' })
}

function isCheckResult(result: Partial<CheckResult> | null | undefined): boolean {
  return typeof result?.name === 'string' && typeof result.ok === 'boolean' && typeof result.detail === 'string'
}

/** Converts any value to text: an object other than an error to JSON. Never throws. */
export function toText(value: unknown): string {
  try {
    return typeof value === 'object' && !(value instanceof Error) ? String(JSON.stringify(value)) : String(value)
  } catch {
    return 'The value cannot be converted to text.'
  }
}
