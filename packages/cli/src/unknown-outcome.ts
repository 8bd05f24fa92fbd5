import { type FlowpostError, isFlowpostError } from '@flowpost/client'

/**
 * Returns whether the server may have executed a request that failed. The code of an error describes only the last
 * attempt, so all attempts count. `idempotency_in_progress` means that the server is processing a request with the same key.
 */
const isOutcomeUnknown = ({ code, attempts }: FlowpostError): boolean =>
  code === 'idempotency_in_progress' || attempts.some(({ status }) => status === undefined || status < 300 || status >= 500)

/**
 * Sends a request that must not be repeated carelessly. Calls `explain` if Ctrl-C or an error hides whether the server
 * executed the request.
 */
export const explainUnknownOutcome = async <Result>(
  send: () => PromiseLike<Result>,
  { signal, explain }: { readonly signal: AbortSignal; readonly explain: () => void },
): Promise<Result> => {
  signal.addEventListener('abort', explain)
  try {
    return await send()
  } catch (error) {
    if (!signal.aborted && isFlowpostError(error) && isOutcomeUnknown(error)) explain()
    throw error
  } finally {
    signal.removeEventListener('abort', explain)
  }
}
