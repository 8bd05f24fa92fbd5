import type { DeliveryFault, DeliveryFaults, NamedDeliveryFault } from './delivery-faults.ts'
import type { FaultTarget, RequestFault, RequestFaults } from './request-faults.ts'

/** Lets things go wrong. */
export interface Faults {
  /**
   * Lets the next request of an operation go wrong. Several are taken in the order in which they were given.
   *
   * @param operation Such as `notifications.send`, or `*` for any.
   * @param options.times How many requests. Default 1.
   */
  next(operation: FaultTarget, fault: RequestFault, options?: { readonly times?: number }): void
  /**
   * Lets every request of an operation go wrong, or some of them by chance, drawn from the seed of the mock.
   *
   * @param options.chance From 0 to 1. Default 1.
   * @returns a function that ends it.
   */
  every(operation: FaultTarget, fault: RequestFault, options?: { readonly chance?: number }): () => void
  /**
   * Lets the deliveries to a target go wrong, or last. In place of what was set for the target before.
   *
   * @param target The receiver in its canonical form, as deliveries have it.
   * @param fault Such as `bounce`, or `{ fail: 'outage', times: 2 }` for two attempts.
   */
  deliveriesTo(target: string, fault: NamedDeliveryFault | DeliveryFault): void
  /** Lets nothing go wrong any more. */
  clear(): void
}

/** Puts both kinds of faults behind one interface. */
export const createFaults = (requests: RequestFaults, deliveries: DeliveryFaults): Faults => ({
  next: (operation, fault, { times = 1 } = {}) => requests.next(operation, fault, times),
  every: (operation, fault, { chance = 1 } = {}) => requests.always(operation, fault, chance),
  deliveriesTo: (target, fault) => deliveries.set(target, fault),
  clear: () => {
    requests.clear()
    deliveries.clear()
  },
})
