import type { FailureKind } from '@flowpost/domain'
import { DeliveryError, retryableByKind } from '../delivery-error.ts'
import { toText } from './provider-results.ts'
import type { Redactor } from './redaction.ts'

const codePattern = /^[A-Za-z0-9._:-]{1,64}$/

/** The state of a call to a provider at the time of an error. */
export interface AttemptState {
  readonly signal: AbortSignal
  /** Whether `markSendStarted` was called; `undefined` for a check, which sends nothing. */
  readonly sendStarted: boolean | undefined
  readonly timeoutMs: number
}

/** Converts an error of a call to a `DeliveryError`. */
export function toDeliveryError(error: unknown, { signal, sendStarted, timeoutMs }: AttemptState): DeliveryError {
  if (error instanceof DeliveryError) return error
  const kind = sendStarted ? 'ambiguous' : 'provider'
  const outcome = sendStarted === undefined ? '' : sendStarted ? ' The message may have been accepted.' : ' The message was not sent.'
  if (signal.aborted && signal.reason.name === 'TimeoutError') {
    return new DeliveryError({ kind, code: 'timed_out', detail: `No response within ${timeoutMs} ms.${outcome}` })
  }
  if (signal.aborted) return new DeliveryError({ kind, code: 'aborted', detail: `The attempt was aborted.${outcome}` })
  return toProviderFault(error, kind, outcome)
}

/** Returns the error for a provider that threw an error other than a `DeliveryError`. `outcome` is appended to the detail. */
export function toProviderFault(error: unknown, kind: FailureKind, outcome: string): DeliveryError {
  const detail = `The provider threw an unexpected error.${outcome}`
  return new DeliveryError({ kind, code: 'provider_fault', detail, providerResponse: toText(error) })
}

/**
 * Returns a copy of the error without secrets, in which malformed fields are replaced. The copy has no `cause`, because the
 * stack of the original error may contain secrets.
 *
 * @param sendStarted Whether the message may have been sent. If so, an unknown kind becomes `ambiguous`, otherwise `provider`.
 */
export function redactError(error: DeliveryError, redact: Redactor, sendStarted = false): DeliveryError {
  const { retryAfterMs } = error
  const kind = Object.hasOwn(retryableByKind, error.kind) ? error.kind : sendStarted ? 'ambiguous' : 'provider'
  // The provider may have taken the values from JSON, so their types may be wrong.
  const { providerResponse, retryable }: { providerResponse?: unknown; retryable: unknown } = error
  return new DeliveryError({
    kind,
    code: redactCode(error.code, redact),
    detail: redact(error.detail),
    ...(typeof retryable === 'boolean' ? { retryable } : {}),
    ...(Number.isFinite(retryAfterMs) ? { retryAfterMs: retryAfterMs as number } : {}),
    ...(providerResponse === undefined || providerResponse === null ? {} : { providerResponse: redact(toText(providerResponse)) }),
  })
}

/** Returns the code, or `unrecognized` if it is malformed or contains a secret. */
export function redactCode(code: unknown, redact: Redactor): string {
  return typeof code === 'string' && codePattern.test(code) && redact(code) === code ? code : 'unrecognized'
}
