import { expect } from 'vitest'
import type { RequestOptions, TestServer } from './test-server.ts'

/** Every event type, except the test event. */
const allEventTypes = [
  'notification.settled',
  'delivery.sent',
  'delivery.failed',
  'delivery.ambiguous',
  'delivery.canceled',
  'flow.unhealthy',
  'flow.healthy',
]

/** The environment of servers with event endpoints. */
export const eventEnv = { FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}` }

/** Returns the path of a project's event endpoints. */
export const endpointsPath = (projectId: string): string => `/v1/settings/projects/${projectId}/event-endpoints`

/** Returns the path of an event endpoint. */
export const endpointPath = ({ id, project_id }: { readonly id: string; readonly project_id: string }): string =>
  `${endpointsPath(project_id)}/${id}`

/** Creates an event endpoint, and returns it with its secret. */
export const createEndpoint = async (server: TestServer, projectId: string, fields: object = {}) => {
  const response = await server.request('POST', endpointsPath(projectId), { json: { url: null, events: allEventTypes, ...fields } })
  expect(response.status, response.text).toBe(201)
  return response.json
}

/**
 * Reads the feed to its end. Waits until it has at least `atLeast` events, because other databases of the same PostgreSQL server
 * may have open transactions.
 */
export const readFeed = async (server: TestServer, query = '', options: RequestOptions = {}, atLeast = 0) => {
  const data = []
  for (let cursor = ''; ; ) {
    const page = await server.request(
      'GET',
      `/v1/events?${query}&wait=${data.length < atLeast ? 5 : 0}${cursor === '' ? '' : `&cursor=${cursor}`}`,
      options,
    )
    expect(page.status, page.text).toBe(200)
    data.push(...page.json.data)
    if (page.json.data.length === 0) return data
    cursor = page.json.cursor
  }
}
