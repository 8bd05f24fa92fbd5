import { aggregateStatus, isFinal } from '@flowpost/domain'
import type { NotificationRecord } from '../state/store.ts'

/** Tracks the completion of notifications. */
export interface CompletionTracker {
  /** Updates the status of a notification from its deliveries, and calls its listeners when it is completed. */
  updateStatus(notification: NotificationRecord): void
  /** Calls `callback` once when the notification is completed. Returns a function that removes the listener. */
  onCompleted(notificationId: string, callback: () => void): () => void
}

/** Returns whether all deliveries have a final status. Afterwards, only a manual retry changes the notification. */
export const isCompleted = (notification: NotificationRecord): boolean => notification.deliveries.every(({ status }) => isFinal(status))

/** Creates the completion tracker of a mock. */
export const createCompletionTracker = (): CompletionTracker => {
  const listeners = new Map<string, Set<() => void>>()
  return {
    updateStatus: (notification) => {
      notification.status = aggregateStatus(notification.deliveries.map(({ status }) => status))
      if (!isCompleted(notification)) return
      const callbacks = listeners.get(notification.id) ?? []
      listeners.delete(notification.id)
      for (const callback of callbacks) callback()
    },
    onCompleted: (notificationId, callback) => {
      const callbacks = listeners.get(notificationId) ?? new Set()
      listeners.set(notificationId, callbacks.add(callback))
      return () => void callbacks.delete(callback)
    },
  }
}
