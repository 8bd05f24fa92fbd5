import type { Random } from '../deterministic.ts'
import type { Operation, ProblemCode } from '../public-types.ts'

/** An error response. The operation is not executed. */
export interface StatusFault {
  /** The HTTP status. If the operation does not declare this status, the response is an HTML page, like one from a proxy. */
  readonly status: number
  /** The problem code. Defaults to the first code that the operation declares for the status. */
  readonly code?: ProblemCode
  /** The value of `Retry-After` in seconds. */
  readonly retryAfter?: number
}

/** A delay before the operation. */
export interface LatencyFault {
  /** The delay in milliseconds on the mock's clock, after which the operation is executed. */
  readonly latencyMs: number
}

/**
 * A fault in the handling of a request.
 *
 * - `networkError`: the connection fails before the operation is executed.
 * - `commitThenDrop`: the connection fails after the operation is executed, so a retry needs an idempotency key.
 * - `stalledBody`: the operation is executed, but the response body stalls halfway.
 * - `malformedJson`: the operation is executed, but the response body is truncated.
 */
export type RequestFault = StatusFault | LatencyFault | 'networkError' | 'commitThenDrop' | 'stalledBody' | 'malformedJson'

/** An operation, or `*` for all operations. */
export type FaultTarget = Operation | '*'

/** The faults injected into requests. */
export interface RequestFaults {
  /** Injects a fault into the next `times` requests of an operation. */
  next(operation: FaultTarget, fault: RequestFault, times: number): void
  /**
   * Injects a fault into each request of an operation with the probability `chance`. Returns a function that removes
   * the fault.
   */
  every(operation: FaultTarget, fault: RequestFault, chance: number): () => void
  /** Returns the fault for a request. Consumes a fault that was injected with `next`. */
  take(operation: Operation): RequestFault | undefined
  clear(): void
}

interface PersistentFault {
  readonly operation: FaultTarget
  readonly fault: RequestFault
  readonly chance: number
}

/** Creates an empty set of request faults. */
export const createRequestFaults = (random: Random): RequestFaults => {
  let queue: { readonly operation: FaultTarget; readonly fault: RequestFault }[] = []
  const persistentFaults = new Set<PersistentFault>()
  const appliesTo = (operation: Operation) => (entry: { readonly operation: FaultTarget }) =>
    entry.operation === operation || entry.operation === '*'

  return {
    next: (operation, fault, times) => {
      for (let count = 0; count < times; count += 1) queue.push({ operation, fault })
    },
    every: (operation, fault, chance) => {
      const entry = { operation, fault, chance }
      persistentFaults.add(entry)
      return () => void persistentFaults.delete(entry)
    },
    take: (operation) => {
      const queued = queue.find(appliesTo(operation))
      if (queued) {
        queue = queue.filter((entry) => entry !== queued)
        return queued.fault
      }
      return [...persistentFaults].filter(appliesTo(operation)).find(({ chance }) => chance >= 1 || random() < chance)?.fault
    },
    clear: () => {
      queue = []
      persistentFaults.clear()
    },
  }
}
