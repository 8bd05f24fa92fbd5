import { createFlowpost } from '@flowpost/client'
import { apiKey } from '../processes/flowpost-server.ts'

/** The maximum number of event endpoints of a project. */
const maxEndpoints = 20

const failures = ['delivery.failed', 'delivery.ambiguous', 'flow.unhealthy'] as const
const successes = ['delivery.sent', 'notification.settled'] as const

/**
 * The two sets of event types that endpoints subscribe to. During a measurement, every message is delivered, so no event of a
 * type in `failures` occurs.
 */
const eventsOf = { failures, successes } as const

// Nothing listens on this port. During a measurement, no events occur for endpoints with this URL, so the server never calls it.
const url = 'https://127.0.0.1:9/events'

/**
 * Creates as many event endpoints as a project can have. They subscribe to the event types of `events`. Those for `failures`
 * have a URL. Those for `successes` have none, so the server stores their events but does not push them.
 */
export const seedEndpoints = async (port: number, projectId: string, events: keyof typeof eventsOf): Promise<void> => {
  await using flowpost = createFlowpost({ baseUrl: `http://127.0.0.1:${port}`, apiKey })
  for (let count = 0; count < maxEndpoints; count += 1) {
    await flowpost.eventEndpoints.create(projectId, { url: events === 'failures' ? url : null, events: [...eventsOf[events]] })
  }
}

/**
 * Creates projects that have `count` event endpoints in total and send no messages. The endpoints subscribe to the event
 * types in `failures` and in `successes`.
 */
export const seedOtherEndpoints = async (port: number, count: number): Promise<void> => {
  await using flowpost = createFlowpost({ baseUrl: `http://127.0.0.1:${port}`, apiKey })
  for (let created = 0; created < count; ) {
    const { id } = await flowpost.projects.create({ name: `observed ${created}` })
    for (let number = 0; number < maxEndpoints && created < count; number += 1, created += 1)
      await flowpost.eventEndpoints.create(id, { url, events: [...successes, ...failures] })
  }
}
