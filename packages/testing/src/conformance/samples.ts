import { type IdKind, idPrefixes } from '@flowpost/contract'
import type { Operation } from '../named-types.ts'
import type { ScenarioContext } from './context.ts'
import type { OperationRequest } from './http.ts'

/** A request that an operation would answer well. */
export type Sample = Pick<OperationRequest, 'params' | 'query' | 'json'>

/** An id of the right shape that no resource has: a UUIDv7 of the year 1970. */
export const unknownId = (kind: IdKind): string => `${idPrefixes[kind]}_0000000001e008000000000000`

/** How far ahead messages are scheduled that nobody is to get, in milliseconds. */
export const farAheadMs = 20 * 24 * 3_600_000

const flowFields = (context: ScenarioContext) => ({
  name: context.uniqueName(),
  ...context.receiver,
  active: true,
  override_target: false,
  message_template: 'Hello {{message}}',
  message_template_type: 'text/plain' as const,
})

const smtp = { settings: { host: 'smtp.example.com', from: 'conformance@example.com' }, secrets: { password: 'correct horse' } }

const withFlow = async (context: ScenarioContext) => {
  const project = await context.project()
  const flow = await context.flow(project)
  return { project, flow, params: { project_id: project.id, flow_id: flow.id } }
}

const withIntegration = async (context: ScenarioContext) => {
  const project = await context.project()
  await context.client.integrations.put(project.id, 'smtp', smtp)
  return { params: { project_id: project.id, source_type: 'smtp' } }
}

/** A notification that waits for a day far ahead, to be canceled when the scenario is over. */
export const scheduled = async (context: ScenarioContext) => {
  const { project, flow } = await withFlow(context)
  const send_at = new Date(Date.parse(project.created_at) + farAheadMs).toISOString()
  const body = { project_id: project.id, subject: 'Conformance', message: 'Nobody should get this.', send_at }
  const notification = await context.client.notifications.send(body)
  context.cleanUp(() => context.client.notifications.cancel(notification.id))
  return { project, flow, notification, body, params: { notification_id: notification.id } }
}

const sendBody = async (context: ScenarioContext) => {
  const { project } = await withFlow(context)
  const send_at = new Date(Date.parse(project.created_at) + farAheadMs).toISOString()
  return { json: { project_id: project.id, subject: 'Conformance', message: 'Nobody should get this.', send_at } }
}

/** For every operation, a request that would go well. */
export const samples: Readonly<Record<Operation, (context: ScenarioContext) => Promise<Sample>>> = {
  'projects.create': async (context) => ({ json: { name: context.uniqueName() } }),
  'projects.list': async () => ({}),
  'projects.get': async (context) => ({ params: { project_id: (await context.project()).id } }),
  'projects.update': async (context) => ({ params: { project_id: (await context.project()).id }, json: { name: context.uniqueName() } }),
  'projects.delete': async (context) => ({ params: { project_id: (await context.project()).id } }),
  'projects.deleteByQuery': async (context) => ({ query: { project_id: (await context.project()).id } }),
  'flows.create': async (context) => ({ params: { project_id: (await context.project()).id }, json: flowFields(context) }),
  'flows.list': async (context) => ({ params: { project_id: (await context.project()).id } }),
  'flows.get': async (context) => ({ params: (await withFlow(context)).params }),
  'flows.update': async (context) => ({ params: (await withFlow(context)).params, json: flowFields(context) }),
  'flows.patch': async (context) => ({ params: (await withFlow(context)).params, json: { active: false } }),
  'flows.delete': async (context) => ({ params: (await withFlow(context)).params }),
  'flows.check': async (context) => ({ params: (await withFlow(context)).params }),
  'integrations.list': async (context) => ({ params: { project_id: (await context.project()).id } }),
  'integrations.get': withIntegration,
  'integrations.put': async (context) => ({ params: { project_id: (await context.project()).id, source_type: 'smtp' }, json: smtp }),
  'integrations.delete': withIntegration,
  'providers.list': async () => ({}),
  'apiKeys.create': async (context) => ({ json: { name: context.uniqueName() } }),
  'apiKeys.list': async () => ({}),
  'apiKeys.delete': async (context) => ({ params: { key_id: (await context.key({})).id } }),
  'notifications.send': sendBody,
  'notifications.preview': sendBody,
  'notifications.list': async () => ({}),
  'notifications.get': async (context) => ({ params: (await scheduled(context)).params }),
  'notifications.deliveries': async (context) => ({ params: (await scheduled(context)).params }),
  'notifications.retry': async (context) => ({ params: (await scheduled(context)).params }),
  'notifications.cancel': async (context) => ({ params: (await scheduled(context)).params }),
}
