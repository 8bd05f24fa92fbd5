import { aggregateStatus, isFinal } from '@flowpost/domain'
import type { NotificationRecord } from '../state/records.ts'

/** Who waits for notifications to settle. */
export interface Settlements {
  /** Brings the status of a notification up to date with its deliveries, and tells who waits for it when it has settled. */
  update(notification: NotificationRecord): void
  /** Calls back once when the notification has settled, unless the function that it returns is called before. */
  watch(notificationId: string, callback: () => void): () => void
}

/** Whether nothing happens to a notification any more unless somebody asks for a retry. */
export const isSettled = (notification: NotificationRecord): boolean => notification.deliveries.every(({ status }) => isFinal(status))

/** Makes the settlements of a mock. */
export const createSettlements = (): Settlements => {
  const waiting = new Map<string, Set<() => void>>()
  return {
    update: (notification) => {
      notification.status = aggregateStatus(notification.deliveries.map(({ status }) => status))
      if (!isSettled(notification)) return
      const callbacks = waiting.get(notification.id) ?? []
      waiting.delete(notification.id)
      for (const callback of callbacks) callback()
    },
    watch: (notificationId, callback) => {
      const callbacks = waiting.get(notificationId) ?? new Set()
      waiting.set(notificationId, callbacks.add(callback))
      return () => void callbacks.delete(callback)
    },
  }
}
