import type { Operation, ProblemCode } from '../named-types.ts'
import type { Random } from '../random.ts'

/** An answer instead of the real one; nothing is done. */
export interface StatusFault {
  /** The HTTP status. One that the operation does not declare is answered with a page of HTML, as a proxy does. */
  readonly status: number
  /** The problem code. Default: the first one that the operation declares for the status. */
  readonly code?: ProblemCode
  /** Seconds for `Retry-After`. */
  readonly retryAfter?: number
}

/** A delay before the real answer. */
export interface LatencyFault {
  /** Milliseconds on the clock of the mock. What is asked for is done when they have passed. */
  readonly latencyMs: number
}

/**
 * Something that goes wrong with a request.
 *
 * - `networkError`: the connection fails; nothing is done.
 * - `commitThenDrop`: it is done, and then the connection fails, so that only an idempotency key can tell.
 * - `stalledBody`: it is done and answered, but the body stops in the middle and never ends.
 * - `malformedJson`: it is done and answered, but the body is cut off.
 */
export type RequestFault = StatusFault | LatencyFault | 'networkError' | 'commitThenDrop' | 'stalledBody' | 'malformedJson'

/** An operation, or all of them. */
export type FaultTarget = Operation | '*'

/** The faults of requests. */
export interface RequestFaults {
  /** Lets the next requests of an operation go wrong, in the order given over several calls. */
  next(operation: FaultTarget, fault: RequestFault, times: number): void
  /** Lets requests go wrong by chance; the function that it returns ends it. */
  always(operation: FaultTarget, fault: RequestFault, chance: number): () => void
  /** What goes wrong with this request. */
  take(operation: Operation): RequestFault | undefined
  clear(): void
}

interface Standing {
  readonly operation: FaultTarget
  readonly fault: RequestFault
  readonly chance: number
}

/** Makes the faults of requests: none. */
export const createRequestFaults = (random: Random): RequestFaults => {
  let queue: { readonly operation: FaultTarget; readonly fault: RequestFault }[] = []
  const standing = new Set<Standing>()
  const concerns = (operation: Operation) => (each: { readonly operation: FaultTarget }) =>
    each.operation === operation || each.operation === '*'

  return {
    next: (operation, fault, times) => {
      for (let count = 0; count < times; count += 1) queue.push({ operation, fault })
    },
    always: (operation, fault, chance) => {
      const entry = { operation, fault, chance }
      standing.add(entry)
      return () => void standing.delete(entry)
    },
    take: (operation) => {
      const queued = queue.find(concerns(operation))
      if (queued) {
        queue = queue.filter((each) => each !== queued)
        return queued.fault
      }
      return [...standing].filter(concerns(operation)).find(({ chance }) => chance >= 1 || random() < chance)?.fault
    },
    clear: () => {
      queue = []
      standing.clear()
    },
  }
}
