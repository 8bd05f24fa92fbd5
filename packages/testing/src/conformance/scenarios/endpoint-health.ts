import type { EventEndpoint } from '@flowpost/client'
import { assert, assertEqual } from '../assertions.ts'
import type { ScenarioContext } from '../context.ts'
import { createEventSource } from '../event-source.ts'
import { unreachableUrl } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { momentAfter } from '../settings-history.ts'

const pollMs = 50

const unknownHealth: EventEndpoint['health'] = { status: 'unknown', code: null, detail: null, since: null, next_attempt_at: null }

/**
 * Creates an event source whose endpoint has a URL, so that the server sends requests to it. Whether these requests
 * succeed depends on the server under test.
 */
const createPushedSource = async (context: ScenarioContext) => {
  const source = await createEventSource(context, undefined, { url: unreachableUrl, events: ['delivery.sent'] })
  const [projectId, endpointId] = [source.project.id, source.endpoint.id]
  const readHealth = async () => (await context.client.eventEndpoints.get(projectId, endpointId)).health
  /** Waits until a request to the endpoint has changed its health. */
  const awaitKnownHealth = async () => {
    for (;;) {
      const health = await readHealth()
      if (health.status !== 'unknown') return health
      await new Promise((resolve) => setTimeout(resolve, pollMs))
    }
  }
  const countAttempts = async () => (await context.client.eventEndpoints.attempts(projectId, endpointId)).data.length
  return { ...source, projectId, endpointId, readHealth, awaitKnownHealth, countAttempts }
}

/** Scenarios about the health of event endpoints. */
export const endpointHealthScenarios: readonly Scenario[] = [
  scenario('eventEndpoints.get', 200, 'returns health.since, which changes only when health.status changes', async (context) => {
    const { projectId, send, readHealth, awaitKnownHealth, countAttempts } = await createPushedSource(context)
    await send()
    const before = await awaitKnownHealth()
    assert(before.since !== null, 'health.since must be set unless the status is unknown', before)
    await momentAfter(context, before.since)
    const attempts = await countAttempts()
    await send()
    // Waits until the server has sent another request to the endpoint. If the first event failed, the request is a retry of that
    // event. Otherwise, it contains the second event. Each round waits one second on the server's clock.
    for (let round = 0; round < 20 && (await countAttempts()) === attempts; round += 1)
      await context.client.events.list({ project_id: projectId, type: 'flow.healthy', wait: 1 })
    const after = await readHealth()
    if (after.status === before.status) assertEqual(after.since, before.since, 'health.since after another request, with the same status')
  }),

  scenario('eventEndpoints.replay', 200, 'resets the health of the endpoint', async (context) => {
    const { projectId, endpointId, send, read, readHealth, awaitKnownHealth } = await createPushedSource(context)
    await send()
    await awaitKnownHealth()
    // The replay starts after the latest event, so that the server sends no request to the endpoint. Such a request would change
    // the endpoint's health again.
    const latest = (await read(1)).data.at(-1)
    const { health } = await context.client.eventEndpoints.replay(projectId, endpointId, { after: latest?.id ?? '' })
    assertEqual(health, unknownHealth, 'the health in the response')
    assertEqual(await readHealth(), unknownHealth, 'the health, read again')
  }),

  scenario('eventEndpoints.update', 200, 'resets the health of the endpoint', async (context) => {
    const { projectId, endpointId, send, readHealth, awaitKnownHealth } = await createPushedSource(context)
    await send()
    await awaitKnownHealth()
    // Deactivates the endpoint, so that no further request changes its health again.
    const inactive = await context.client.eventEndpoints.update(projectId, endpointId, (current) => ({ ...current, active: false }))
    assertEqual(inactive.health, unknownHealth, 'the health in the response')
    assertEqual(await readHealth(), unknownHealth, 'the health, read again')
  }),
]
