import { expect } from 'vitest'
import { createFlow, readCompleted, send } from './resources.ts'
import type { TestServer } from './test-server.ts'

/** Environment variables for a server that sends messages and stores secrets. */
export const receiptEnvironment = {
  FLOWPOST_ENCRYPTION_KEY: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  FLOWPOST_CAPTURE: 'off',
}

/** Creates an integration with an inbound address, and a flow that uses the integration. */
export const createInbound = async (server: TestServer, source_type: string, body: object, target = 'no.such.user@receiver.example') => {
  const { project } = await createFlow(server, { source_type, target })
  const path = `/v1/settings/projects/${project.id}/integrations/${source_type}`
  const stored = await server.request('PUT', path, { json: body })
  expect(stored.status, stored.text).toBe(200)
  const rotate = async (): Promise<string> => {
    const rotated = await server.request('POST', `${path}/rotate-inbound`)
    expect(rotated.status, rotated.text).toBe(200)
    return rotated.json.path
  }
  return { project, rotate, inbound: await rotate() }
}

/** Sends a message. Returns the ids of its notification and its delivery once the notification is completed. */
export const sendOne = async (server: TestServer, projectId: string): Promise<{ deliveryId: string; notificationId: string }> => {
  const { id, deliveries } = await readCompleted(server, (await send(server, projectId)).id)
  return { deliveryId: deliveries[0].id, notificationId: id }
}

/** Reads the receipt of a notification's only delivery. */
export const readReceipt = async (server: TestServer, notificationId: string) =>
  (await server.request('GET', `/v1/notifications/${notificationId}`)).json.deliveries[0].receipt

/** Lists the suppressions of a project. */
export const readSuppressions = async (server: TestServer, projectId: string) =>
  (await server.request('GET', `/v1/settings/projects/${projectId}/suppressions`)).json.data
