import type { Random } from '../deterministic.ts'
import type { Operation, ProblemCode } from '../public-types.ts'
import { checkRequestFault, declaresProblem } from './check-request-fault.ts'

/** An error response. The operation is not executed. */
export interface StatusFault {
  /**
   * The HTTP status, from 400 to 599. If the operation does not declare this status, the response is an HTML page, like one
   * from a proxy.
   */
  readonly status: number
  /**
   * The problem code, which the operation must declare. Defaults to the first code that the operation declares for the
   * status. With the target `*`, the fault affects only the operations that declare the code.
   */
  readonly code?: ProblemCode | undefined
  /** The value of `Retry-After` in seconds. */
  readonly retryAfter?: number | undefined
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
 * - `commitThenDrop`: the connection fails after the operation is executed. A retry without an idempotency key executes it again.
 * - `stalledBody`: the operation is executed, but the response body stalls halfway.
 * - `malformedJson`: the operation is executed, but the response body is truncated.
 */
export type RequestFault = StatusFault | LatencyFault | 'networkError' | 'commitThenDrop' | 'stalledBody' | 'malformedJson'

/** An operation, or `*` for all operations. */
export type FaultTarget = Operation | '*'

/** The faults injected into requests. */
export interface RequestFaults {
  /**
   * Injects a fault into the next `times` requests of an operation.
   *
   * @throws {TypeError} When the operation does not exist, or the fault is invalid for it.
   */
  next(operation: FaultTarget, fault: RequestFault, times: number): void
  /**
   * Injects a fault into each request of an operation with the probability `chance`. Returns a function that removes
   * the fault.
   *
   * @throws {TypeError} When the operation does not exist, or the fault is invalid for it.
   */
  every(operation: FaultTarget, fault: RequestFault, chance: number): () => void
  /** Returns the fault for a request. Consumes a fault that was injected with `next`. */
  take(operation: Operation): RequestFault | undefined
  clear(): void
}

interface InjectedFault {
  readonly target: FaultTarget
  readonly fault: RequestFault
}

interface PersistentFault extends InjectedFault {
  readonly chance: number
}

const canAffect = ({ target, fault }: InjectedFault, operation: Operation): boolean => {
  if (target !== '*') return target === operation
  const code = typeof fault === 'object' && 'code' in fault ? fault.code : undefined
  return code === undefined || declaresProblem(operation, code)
}

/** Creates an empty set of request faults. */
export const createRequestFaults = (random: Random): RequestFaults => {
  let queue: InjectedFault[] = []
  const persistentFaults = new Set<PersistentFault>()

  return {
    next: (target, fault, times) => {
      checkRequestFault(target, fault)
      for (let count = 0; count < times; count += 1) queue.push({ target, fault })
    },
    every: (target, fault, chance) => {
      checkRequestFault(target, fault)
      const entry = { target, fault, chance }
      persistentFaults.add(entry)
      return () => void persistentFaults.delete(entry)
    },
    take: (operation) => {
      const queued = queue.find((entry) => canAffect(entry, operation))
      if (queued) {
        queue = queue.filter((entry) => entry !== queued)
        return queued.fault
      }
      const possible = [...persistentFaults].filter((entry) => canAffect(entry, operation))
      return possible.find(({ chance }) => chance >= 1 || random() < chance)?.fault
    },
    clear: () => {
      queue = []
      persistentFaults.clear()
    },
  }
}
