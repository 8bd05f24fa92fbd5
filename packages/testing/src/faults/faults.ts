import type { DeliveryFault, DeliveryFaults, NamedDeliveryFault } from './delivery-faults.ts'
import type { FaultTarget, RequestFault, RequestFaults } from './request-faults.ts'

/** Injects faults into requests and deliveries. */
export interface Faults {
  /**
   * Injects a fault into the next request of an operation. Faults from several calls apply in the order of the calls.
   *
   * @param operation The name of the operation, such as `notifications.send`, or `*` for any.
   * @param options.times The number of requests to affect. Defaults to 1.
   * @throws {TypeError} When the operation does not exist, or the fault is invalid for it.
   */
  next(operation: FaultTarget, fault: RequestFault, options?: { readonly times?: number | undefined }): void
  /**
   * Injects a fault into every request of an operation, or into a random share of its requests. The mock's seed
   * determines which requests are affected.
   *
   * @param options.chance The probability that a request is affected, from 0 to 1. Defaults to 1.
   * @returns A function that removes the fault.
   * @throws {TypeError} When the operation does not exist, or the fault is invalid for it.
   */
  every(operation: FaultTarget, fault: RequestFault, options?: { readonly chance?: number | undefined }): () => void
  /**
   * Injects failures or delays into the deliveries to a target. Replaces any previous fault for the target.
   *
   * @param target The recipient in canonical form, as in the `target` field of a delivery.
   * @param fault For example `bounce`, or `{ fail: 'outage', times: 2 }` for two attempts.
   * @throws {TypeError} When there is no delivery fault with this name.
   */
  deliveriesTo(target: string, fault: NamedDeliveryFault | DeliveryFault): void
  /** Removes all faults. */
  clear(): void
}

/** Combines request and delivery faults in one interface. */
export const createFaults = (requests: RequestFaults, deliveries: DeliveryFaults): Faults => ({
  next: (operation, fault, { times = 1 } = {}) => requests.next(operation, fault, times),
  every: (operation, fault, { chance = 1 } = {}) => requests.every(operation, fault, chance),
  deliveriesTo: (target, fault) => deliveries.set(target, fault),
  clear: () => {
    requests.clear()
    deliveries.clear()
  },
})
