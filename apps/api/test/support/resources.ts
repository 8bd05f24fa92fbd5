import { expect } from 'vitest'
import type { TestServer } from './test-server.ts'

let projectCount = 0

/** Creates a project with one flow. */
export const createFlow = async (server: TestServer, fields: object = {}) => {
  projectCount += 1
  const project = await server.request('POST', '/v1/settings/projects', { json: { name: `project ${projectCount}` } })
  expect(project.status).toBe(201)
  const flow = await addFlow(server, project.json.id, fields)
  return { project: project.json, flow }
}

/** Adds a flow to a project. */
export const addFlow = async (server: TestServer, projectId: string, fields: object = {}) => {
  const flow = await server.request('POST', `/v1/settings/projects/${projectId}/flows`, {
    json: { name: 'Operations', source_type: 'smtp', target: 'ops@example.com', ...fields },
  })
  expect(flow.status, flow.text).toBe(201)
  return flow.json
}

/** Sends a notification and expects that it is accepted. */
export const send = async (server: TestServer, projectId: string, fields: object = {}) => {
  const accepted = await server.request('POST', '/v1/notifications', {
    json: { project_id: projectId, subject: 'Invoice', message: 'It is ready.', ...fields },
  })
  expect(accepted.status, accepted.text).toBe(202)
  return accepted.json
}

/** Waits until a notification is completed, and returns it. */
export const readCompleted = async (server: TestServer, id: string) => {
  const { json } = await server.request('GET', `/v1/notifications/${id}?wait=20`)
  expect(['queued', 'sending']).not.toContain(json.status)
  return json
}

/** Waits until the first delivery of a notification has this status, and returns the notification. */
export const waitForDeliveryStatus = async (server: TestServer, id: string, status: string) => {
  for (;;) {
    const { json } = await server.request('GET', `/v1/notifications/${id}`)
    if (json.deliveries[0].status === status) return json
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Returns the path of a project's flows. */
export const flowsPath = (projectId: string): string => `/v1/settings/projects/${projectId}/flows`

/** Returns the path of a flow. */
export const flowPath = (flow: { readonly id: string; readonly project_id: string }): string => `${flowsPath(flow.project_id)}/${flow.id}`

/** The body of a flow whose optional fields all differ from their defaults. */
export const allFlowFields = {
  name: 'Operations',
  active: false,
  source_type: 'slack',
  target: 'C024BE91L',
  override_target: true,
  message_template: '*{{subject}}*\\n{{message}}',
  message_template_type: 'text/plain',
}
