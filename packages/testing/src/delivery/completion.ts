import { aggregateStatus, isFinal } from '@flowpost/domain'
import type { NotificationRecord } from '../state/store.ts'

/** Tracks the completion of notifications. */
export interface CompletionTracker {
  /** Updates each notification's status from its deliveries, and calls the listeners of completed notifications. */
  updateStatus(...notifications: NotificationRecord[]): void
  /** Calls `callback` once when the notification is completed. Returns a function that removes the listener. */
  onCompleted(notificationId: string, callback: () => void): () => void
}

/** Returns whether all deliveries have a final status, which only a manual retry can change. */
export const isCompleted = (notification: NotificationRecord): boolean => notification.deliveries.every(({ status }) => isFinal(status))

/** Creates a mock's completion tracker. `recordEvents` stores the events of the updated notifications. */
export const createCompletionTracker = (recordEvents: (notifications: readonly NotificationRecord[]) => void): CompletionTracker => {
  const listeners = new Map<string, Set<() => void>>()
  return {
    updateStatus: (...notifications) => {
      for (const notification of notifications) notification.status = aggregateStatus(notification.deliveries.map(({ status }) => status))
      recordEvents(notifications)
      for (const { id } of notifications.filter(isCompleted)) {
        const callbacks = listeners.get(id) ?? []
        listeners.delete(id)
        for (const callback of callbacks) callback()
      }
    },
    onCompleted: (notificationId, callback) => {
      const callbacks = listeners.get(notificationId) ?? new Set()
      listeners.set(notificationId, callbacks.add(callback))
      return () => void callbacks.delete(callback)
    },
  }
}
