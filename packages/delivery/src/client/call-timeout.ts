import { type Clock, startDeadline } from '../clock.ts'
import { DeliveryError } from '../delivery-error.ts'
import type { SendContext } from '../provider.ts'

/** The type of {@link SendContext.withoutTimeout}. */
export type WithoutTimeout = SendContext<unknown, unknown, unknown>['withoutTimeout']

/** The time limit of one call to a provider. */
export interface CallTimeout {
  readonly cancel: () => void
  /** Implements {@link SendContext.withoutTimeout}. When all concurrent waits have settled, the time limit restarts from zero. */
  readonly suspend: WithoutTimeout
}

/** Starts the time limit of a call. When the limit has passed, aborts `controller` with a `TimeoutError`. */
export function startCallTimeout(clock: Clock, timeoutMs: number, controller: AbortController): CallTimeout {
  const start = () => startDeadline(clock, timeoutMs, () => controller.abort(new DOMException('The attempt timed out.', 'TimeoutError')))
  let cancel = start()
  let pendingWaits = 0
  return {
    cancel: () => cancel(),
    async suspend(wait) {
      cancel()
      pendingWaits += 1
      try {
        return await wait()
      } finally {
        pendingWaits -= 1
        // An aborted call has already ended, so its time limit does not start again.
        if (pendingWaits === 0 && !controller.signal.aborted) cancel = start()
      }
    },
  }
}

/**
 * Resolves or rejects as the task does. If the signal aborts first, rejects with the abort reason, even if the task
 * ignores the signal. This rejection waits until the end of the current turn of the event loop, so that a response that
 * has already arrived is not lost. An error that contains the provider's response is not replaced by the abort reason,
 * because it states the outcome.
 */
export async function rejectOnAbort<Result>(task: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let onAbort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => setImmediate(() => reject(signal.reason))
    signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([task, aborted])
  } catch (error) {
    if (!(error instanceof DeliveryError && error.providerResponse !== undefined)) signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
