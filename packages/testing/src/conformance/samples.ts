import { type IdKind, idPrefixes } from '@flowpost/contract'
import type { Operation } from '../public-types.ts'
import type { ScenarioContext } from './context.ts'
import type { OperationRequest } from './http.ts'

/** A valid request of an operation. */
export type Sample = Pick<OperationRequest, 'params' | 'query' | 'json'>

/** Returns a well-formed id that belongs to no resource: a UUIDv7 of the year 1970. */
export const unknownId = (kind: IdKind): string => `${idPrefixes[kind]}_0000000001e008000000000000`

/** Delay of scheduled messages that must not be delivered, in milliseconds. */
export const farFutureMs = 20 * 24 * 3_600_000

const flowFields = (context: ScenarioContext) => ({
  name: context.uniqueName(),
  ...context.receiver,
  active: true,
  override_target: false,
  message_template: 'Hello {{message}}',
  message_template_type: 'text/plain' as const,
})

const smtp = { settings: { host: 'smtp.example.com', from: 'conformance@example.com' }, secrets: { password: 'correct horse' } }

const createFlowSample = async (context: ScenarioContext) => {
  const project = await context.createProject()
  const flow = await context.createFlow(project)
  return { project, flow, params: { project_id: project.id, flow_id: flow.id } }
}

const createIntegrationSample = async (context: ScenarioContext) => {
  const project = await context.createProject()
  await context.client.integrations.put(project.id, 'smtp', smtp)
  return { params: { project_id: project.id, source_type: 'smtp' } }
}

/** Creates a project with a key, and returns a document for it with one flow. */
const createSettingsDocument = async (context: ScenarioContext) => {
  const key = context.uniqueName().replaceAll(' ', '-')
  const { id, name } = await context.client.projects.create({ name: context.uniqueName(), key })
  context.onCleanup(({ client }) => client.projects.delete(id))
  return { project: { key, name }, flows: [{ key: 'ops-mail', ...flowFields(context) }] }
}

/** Creates a notification that is scheduled far ahead and canceled after the scenario. */
export const createScheduledNotification = async (context: ScenarioContext) => {
  const { project, flow } = await createFlowSample(context)
  const send_at = new Date(Date.parse(project.created_at) + farFutureMs).toISOString()
  const body = { project_id: project.id, subject: 'Conformance', message: 'This message must not be delivered.', send_at }
  const notification = await context.client.notifications.send(body)
  context.onCleanup(({ client }) => client.notifications.cancel(notification.id))
  return { project, flow, notification, body, params: { notification_id: notification.id } }
}

const createSendSample = async (context: ScenarioContext) => {
  const { project } = await createFlowSample(context)
  const send_at = new Date(Date.parse(project.created_at) + farFutureMs).toISOString()
  return { json: { project_id: project.id, subject: 'Conformance', message: 'This message must not be delivered.', send_at } }
}

/** The functions that create a valid request, by operation. */
export const samples: Readonly<Record<Operation, (context: ScenarioContext) => Promise<Sample>>> = {
  'projects.create': async (context) => ({ json: { name: context.uniqueName() } }),
  'projects.list': async () => ({}),
  'projects.get': async (context) => ({ params: { project_id: (await context.createProject()).id } }),
  'projects.update': async (context) => ({
    params: { project_id: (await context.createProject()).id },
    json: { name: context.uniqueName() },
  }),
  'projects.delete': async (context) => ({ params: { project_id: (await context.createProject()).id } }),
  'projects.deleteByQuery': async (context) => ({ query: { project_id: (await context.createProject()).id } }),
  'flows.create': async (context) => ({ params: { project_id: (await context.createProject()).id }, json: flowFields(context) }),
  'flows.list': async (context) => ({ params: { project_id: (await context.createProject()).id } }),
  'flows.get': async (context) => ({ params: (await createFlowSample(context)).params }),
  'flows.update': async (context) => ({ params: (await createFlowSample(context)).params, json: flowFields(context) }),
  'flows.patch': async (context) => ({ params: (await createFlowSample(context)).params, json: { active: false } }),
  'flows.delete': async (context) => ({ params: (await createFlowSample(context)).params }),
  'flows.check': async (context) => ({ params: (await createFlowSample(context)).params }),
  'integrations.list': async (context) => ({ params: { project_id: (await context.createProject()).id } }),
  'integrations.get': createIntegrationSample,
  'integrations.put': async (context) => ({ params: { project_id: (await context.createProject()).id, source_type: 'smtp' }, json: smtp }),
  'integrations.delete': createIntegrationSample,
  'providers.list': async () => ({}),
  'apiKeys.create': async (context) => ({ json: { name: context.uniqueName() } }),
  'apiKeys.list': async () => ({}),
  'apiKeys.delete': async (context) => ({ params: { key_id: (await context.createKey({})).id } }),
  'settings.export': async (context) => ({ params: { project_id: (await context.createProject()).id } }),
  'settings.apply': async (context) => ({ json: await createSettingsDocument(context) }),
  'notifications.send': createSendSample,
  'notifications.preview': createSendSample,
  'notifications.list': async () => ({}),
  'notifications.get': async (context) => ({ params: (await createScheduledNotification(context)).params }),
  'notifications.deliveries': async (context) => ({ params: (await createScheduledNotification(context)).params }),
  'notifications.retry': async (context) => ({ params: (await createScheduledNotification(context)).params }),
  'notifications.cancel': async (context) => ({ params: (await createScheduledNotification(context)).params }),
}
