import { type IdKind, idPrefixes } from '@flowpost/contract'
import type { Operation } from '../public-types.ts'
import type { ScenarioContext } from './context.ts'
import type { OperationRequest } from './http.ts'

/** A valid request to an operation. */
export type Sample = Pick<OperationRequest, 'params' | 'query' | 'json'>

/** Returns a well-formed id that belongs to no resource, based on a UUIDv7 from 1970. */
export const unknownId = (kind: IdKind): string => `${idPrefixes[kind]}_0000000001e008000000000000`

/** A delay in milliseconds. It is so long that a message that is scheduled with it is not delivered during the scenario. */
export const farFutureMs = 20 * 24 * 3_600_000

const flowFields = (context: ScenarioContext) => ({
  name: context.uniqueName(),
  ...context.receiver,
  active: true,
  override_target: false,
  message_template: 'Hello {{message}}',
  message_template_type: 'text/plain' as const,
})

/** Returns a unique email address. */
export const uniqueAddress = (context: Pick<ScenarioContext, 'uniqueName'>): string =>
  `${context.uniqueName().replaceAll(' ', '-')}@example.com`

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

/** Creates a project with a `key`. Returns a settings document that adds one flow to the project. */
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

/** Sends a message with a test key, so that its delivery is simulated, and waits for the outcome. */
export const createAttemptedDelivery = async (context: ScenarioContext, target = 'ok@flowpost.test') => {
  const project = await context.createProject()
  await context.createFlow(project, { source_type: 'smtp', target })
  const { key } = await context.createKey({ mode: 'test' })
  const json = { project_id: project.id, subject: 'Conformance', message: 'A message from the conformance suite.' }
  const sent = await context.http.expect('notifications.send', 202, { json, key })
  const notification = await context.client.notifications.get(sent.json.id, { wait: 30 })
  const [delivery] = notification.deliveries
  if (!delivery) throw new Error('The notification has no delivery.')
  return { project, key, notification, delivery, params: { delivery_id: delivery.id } }
}

const createSendSample = async (context: ScenarioContext) => {
  const { project } = await createFlowSample(context)
  const send_at = new Date(Date.parse(project.created_at) + farFutureMs).toISOString()
  return { json: { project_id: project.id, subject: 'Conformance', message: 'This message must not be delivered.', send_at } }
}

const createBulkActionSample = async (context: ScenarioContext) => {
  const project = await context.createProject()
  return { action: 'cancel' as const, filter: { project_id: project.id, created_after: project.created_at } }
}

const createBulkActionIdSample = async (context: ScenarioContext) => {
  const { json } = await context.http.expect('bulkActions.create', 202, { json: await createBulkActionSample(context) })
  return { params: { action_id: json.id as string } }
}

const createBatchSample = async (context: ScenarioContext) => {
  const { json } = await createSendSample(context)
  return { json: { notifications: [json, { ...json, subject: 'Conformance 2' }] } }
}

/** A URL that receives nothing: the domain does not exist (RFC 6761, section 6.4). */
export const unreachableUrl = 'https://conformance.invalid/events'

const createEventEndpointSample = async (context: ScenarioContext) => {
  const project = await context.createProject()
  const json = { url: unreachableUrl, events: ['delivery.failed' as const], active: true, description: '' }
  const endpoint = await context.client.eventEndpoints.create(project.id, json)
  return { params: { project_id: project.id, endpoint_id: endpoint.id } }
}

/** For each operation, a function that creates a valid request and any resources that the request needs. */
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
  'integrations.rotateInbound': createIntegrationSample,
  'providers.list': async () => ({}),
  'suppressions.create': async (context) => ({
    params: { project_id: (await context.createProject()).id },
    json: { target: 'suppressed@example.com' },
  }),
  'suppressions.list': async (context) => ({ params: { project_id: (await context.createProject()).id } }),
  'suppressions.delete': async (context) => {
    const project = await context.createProject()
    const { id } = await context.client.suppressions.create(project.id, { target: 'suppressed@example.com' })
    return { params: { project_id: project.id, suppression_id: id } }
  },
  'apiKeys.create': async (context) => ({ json: { name: context.uniqueName() } }),
  'apiKeys.list': async () => ({}),
  'apiKeys.delete': async (context) => ({ params: { key_id: (await context.createKey({})).id } }),
  'settings.export': async (context) => ({ params: { project_id: (await context.createProject()).id } }),
  'settings.apply': async (context) => ({ json: await createSettingsDocument(context) }),
  'settings.history': async () => ({}),
  'notifications.send': createSendSample,
  'notifications.sendBatch': createBatchSample,
  'notifications.preview': createSendSample,
  'notifications.list': async () => ({}),
  'notifications.get': async (context) => ({ params: (await createScheduledNotification(context)).params }),
  'notifications.explanation': async (context) => ({ params: (await createScheduledNotification(context)).params }),
  'notifications.deliveries': async (context) => ({ params: (await createScheduledNotification(context)).params }),
  'notifications.retry': async (context) => ({ params: (await createScheduledNotification(context)).params }),
  'bulkActions.create': async (context) => ({ json: await createBulkActionSample(context) }),
  'bulkActions.list': async () => ({}),
  'bulkActions.get': createBulkActionIdSample,
  'bulkActions.stop': createBulkActionIdSample,
  'notifications.cancel': async (context) => ({ params: (await createScheduledNotification(context)).params }),
  'deliveries.recordReceipt': async (context) => ({
    params: (await createAttemptedDelivery(context)).params,
    json: { status: 'delivered' },
  }),
  // A unique address, so that nothing else is erased.
  'erasures.create': async (context) => ({ json: { target: uniqueAddress(context) } }),
  'erasures.get': async (context) => ({
    params: { erasure_id: (await context.client.erasures.create({ target: uniqueAddress(context) })).id },
  }),
  'eventEndpoints.create': async (context) => ({
    params: { project_id: (await context.createProject()).id },
    json: { url: null, events: ['delivery.failed'] },
  }),
  'eventEndpoints.list': async (context) => ({ params: { project_id: (await context.createProject()).id } }),
  'eventEndpoints.get': createEventEndpointSample,
  'eventEndpoints.update': async (context) => ({
    ...(await createEventEndpointSample(context)),
    json: { url: null, events: ['delivery.sent'], active: false, description: 'changed' },
  }),
  'eventEndpoints.delete': createEventEndpointSample,
  'eventEndpoints.rotateSecret': createEventEndpointSample,
  'eventEndpoints.test': createEventEndpointSample,
  'eventEndpoints.attempts': createEventEndpointSample,
  'eventEndpoints.replay': async (context) => ({ ...(await createEventEndpointSample(context)), json: { after: null } }),
  'events.list': async () => ({}),
}
