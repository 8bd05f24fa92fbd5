import { createEndpoint, endpointPath } from './event-endpoints.ts'
import type { EventReceiver } from './event-receiver.ts'
import { createFlow, readCompleted, send } from './resources.ts'
import type { TestServer } from './test-server.ts'

type Endpoint = Parameters<typeof endpointPath>[0]

let paths = 0

/**
 * Returns a function that creates a project with an event endpoint. The endpoint's URL is a path on the receiver that no other
 * test uses.
 */
export const createPushes =
  (receiver: EventReceiver, server: TestServer) =>
  async (fields: object = {}, on = server) => {
    const { project } = await createFlow(on)
    paths += 1
    const path = `/events/${paths}`
    const endpoint = await createEndpoint(on, project.id, { url: receiver.url + path, events: ['notification.settled'], ...fields })
    const received = () => receiver.received.filter((event) => event.path === path)
    const waitFor = (count: number) => receiver.waitFor(() => received().length >= count)
    return { project, endpoint, path, received, waitFor }
  }

/** Sends notifications one after another, and returns their ids when each is completed. */
export const sendTimes = async (server: TestServer, projectId: string, count: number): Promise<string[]> => {
  const ids: string[] = []
  for (let sent = 0; sent < count; sent += 1) ids.push((await readCompleted(server, (await send(server, projectId)).id)).id)
  return ids
}

/** Changes how the receiver responds at a path. */
export const replyAt = (receiver: EventReceiver, path: string, reply: EventReceiver['reply']): void => {
  const others = receiver.reply
  receiver.reply = (event, response) => (event.path === path ? reply(event, response) : others(event, response))
}

/** Reads the health of an event endpoint. */
export const healthOf = async (server: TestServer, endpoint: Endpoint) => (await server.request('GET', endpointPath(endpoint))).json.health

/** Waits until an event endpoint has this health status, and returns its health. */
export const untilHealth = async (server: TestServer, endpoint: Endpoint, status: string) => {
  for (;;) {
    const health = await healthOf(server, endpoint)
    if (health.status === status) return health
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
