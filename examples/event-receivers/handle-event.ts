import type { FlowpostEvent } from '@flowpost/client/events'

// In production, use a table with a unique index. Insert the id in the transaction that applies the event.
const processed = new Set<string>()

/** Applies an event once, although it can arrive more than once. */
export const handleEvent = async (event: FlowpostEvent): Promise<void> => {
  if (processed.has(event.id)) return
  switch (event.type) {
    case 'delivery.failed':
      console.log(`${event.data.reference}: ${event.data.target} failed with ${event.data.failure?.code}`)
      break
    case 'notification.settled':
      console.log(`${event.data.reference}: ${event.data.status}`)
      break
    default:
      // Ignores other types, including types that a newer server adds.
      break
  }
  processed.add(event.id)
}
