import { assert, assertEqual } from '../assertions.ts'
import type { ScenarioContext } from '../context.ts'
import { createEventSource } from '../event-source.ts'
import { idOf } from '../pages.ts'
import { unreachableUrl } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const pollMs = 50

/** An event endpoint and its project. */
interface EndpointPath {
  readonly id: string
  readonly project_id: string
}

const attemptsOf = async (context: ScenarioContext, { project_id, id }: EndpointPath) =>
  (await context.client.eventEndpoints.attempts(project_id, id)).data

/** Waits until a request has been sent to the endpoint. Returns the requests. */
const waitForAttempts = async (context: ScenarioContext, endpoint: EndpointPath) => {
  while ((await attemptsOf(context, endpoint)).length === 0) await new Promise((resolve) => setTimeout(resolve, pollMs))
  return attemptsOf(context, endpoint)
}

/**
 * Scenarios about the events that are sent to an endpoint. An endpoint's first request shows whether the endpoint receives
 * an event that must not be sent: events are sent in order, and that event is older than the expected one.
 */
export const eventPushScenarios: readonly Scenario[] = [
  scenario('eventEndpoints.create', 201, 'does not send events from before the endpoint was created', async (context) => {
    const { project, send, read } = await createEventSource(context, undefined, { events: ['delivery.sent'] })
    await send()
    const { cursor } = await read(1)
    const endpoint = await context.client.eventEndpoints.create(project.id, { url: unreachableUrl, events: ['delivery.sent'] })
    await send()
    const later = (await read(1, cursor)).data.map(idOf)
    for (const { event_id } of await waitForAttempts(context, endpoint))
      assert(later.includes(event_id), 'the endpoint must not receive events from before its creation', event_id)
  }),

  scenario('eventEndpoints.attempts', 200, 'contains only types to which the endpoint subscribes', async (context) => {
    const { project, send } = await createEventSource(context)
    const endpoint = await context.client.eventEndpoints.create(project.id, { url: unreachableUrl, events: ['notification.settled'] })
    await send()
    for (const { type } of await waitForAttempts(context, endpoint)) assertEqual(type, 'notification.settled', 'the type of a sent event')
  }),

  scenario('eventEndpoints.attempts', 200, 'is empty if the endpoint is inactive', async (context) => {
    const { project, endpoint, send } = await createEventSource(context, undefined, { url: unreachableUrl, events: ['delivery.sent'] })
    const inactive = await context.client.eventEndpoints.create(project.id, {
      url: unreachableUrl,
      events: ['delivery.sent'],
      active: false,
    })
    await send()
    await waitForAttempts(context, endpoint)
    // Leaves time for a request to the inactive endpoint.
    await context.client.events.list({ project_id: project.id, type: 'flow.healthy', wait: 1 })
    assertEqual(await attemptsOf(context, inactive), [], 'the requests to the inactive endpoint')
  }),
]
