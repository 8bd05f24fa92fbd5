import type { Channels } from '@flowpost/domain'
import type { Clock } from '../../shared/clock.ts'
import type { EventFact, RecordEvents } from '../../shared/event-facts.ts'
import { newUuid } from '../../shared/ids.ts'
import { findSubscriptions, insertEvents, type NewEvent } from './event.queries.ts'
import { notifyEvents } from './event-wakes.ts'
import { readEventData } from './read-event-data.ts'

/**
 * Creates the function that stores an {@link EventFact} as an event if an active endpoint in the fact's project
 * subscribes to the fact's type. Within a transaction, events are in the same order as their facts.
 */
export const createEventRecorder = ({ clock, channels }: { readonly clock: Clock; readonly channels: Channels }): RecordEvents => {
  return async (transaction, facts) => {
    const found = await findSubscriptions(transaction, [...new Set(facts.map(({ projectId }) => projectId))])
    const subscriptions = new Map(found.map((row) => [row.project_id, row]))
    const wanted = facts.filter(({ projectId, type }) => subscriptions.get(projectId)?.types.includes(type))
    if (wanted.length === 0) return
    const data = await readEventData(transaction, channels, wanted)
    const toNewEvent = (fact: EventFact): NewEvent[] => {
      const subscription = subscriptions.get(fact.projectId)
      const json = data.get(fact)
      if (!subscription || json === undefined) return []
      return [{ id: newUuid(), userId: subscription.user_id, projectId: fact.projectId, type: fact.type, data: json }]
    }
    const events = wanted.flatMap(toNewEvent)
    await insertEvents(transaction, events, clock.now())
    await notifyEvents(transaction, events)
  }
}
