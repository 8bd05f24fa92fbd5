import type { Flow } from '@flowpost/client'
import { assertEqual, assertIncludes } from '../assertions.ts'
import { sendWithoutCredentials } from '../failed-notifications.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { apply, create, flowOf } from '../settings-documents.ts'
import { otherTargetOf } from '../target.ts'

const unknownHealth: Flow['health'] = { status: 'unknown', code: null, detail: null, since: null, checked_at: null }

/** The number of consecutive permanent failures that make a flow unhealthy. */
const failuresToUnhealthy = 10

/** Scenarios about flow health. */
export const flowHealthScenarios: readonly Scenario[] = [
  ...(['PATCH', 'PUT', 'PUT with If-Match'] as const).map((method) =>
    scenario(
      method === 'PATCH' ? 'flows.patch' : 'flows.update',
      200,
      `resets the health only when source_type or target changes (${method})`,
      async (context) => {
        const provider = context.unconfiguredProvider()
        const { source_type, target } = provider
        const project = await context.createProject()
        const flow = await context.createFlow(project, { source_type, target })
        const params = { project_id: project.id, flow_id: flow.id }
        const fields = { name: 'a', active: false, override_target: true, message_template: 'a', message_template_type: 'text/html' }
        const change = async (destination: object) => {
          const read = await context.http.expect('flows.get', 200, { params })
          const headers = method === 'PUT with If-Match' ? { 'if-match': read.headers.get('etag') ?? '' } : {}
          const json = method === 'PATCH' ? { ...fields, ...destination } : { ...fields, source_type, target, ...destination }
          const { json: changed } = await context.http.expect(method === 'PATCH' ? 'flows.patch' : 'flows.update', 200, {
            params,
            json,
            headers,
          })
          assertEqual((await context.client.flows.get(project.id, flow.id)).health, changed.health, 'the health, read again')
          return changed.health as Flow['health']
        }
        // Makes the flow unhealthy. Without credentials, the check fails before it calls the provider.
        await context.client.flows.check(project.id, flow.id)
        assertIncludes(await change({}), { status: 'unhealthy' }, 'the health after changing all fields except source_type and target')
        assertEqual(await change({ target: otherTargetOf(provider) }), unknownHealth, 'the health after changing the target')
        await context.client.flows.check(project.id, flow.id)
        assertEqual(await change(context.receiver), unknownHealth, 'the health after changing source_type and target')
      },
      ['unconfigured'],
    ),
  ),

  scenario(
    'settings.apply',
    200,
    'resets the health of a flow only when its source_type or target changes',
    async (context) => {
      const provider = context.unconfiguredProvider()
      const { source_type, target } = provider
      const flowWith = (fields: Parameters<typeof flowOf>[2]) => flowOf(context, 'ops', { source_type, target, ...fields })
      const { document, projectId, idOf } = await create(context, { flows: [flowWith({})] })
      const id = idOf('ops')
      const change = async (fields: Parameters<typeof flowOf>[2]) => {
        await apply(context, { ...document, flows: [flowWith(fields)] })
        return (await context.client.flows.get(projectId, id)).health
      }
      // Makes the flow unhealthy. Without credentials, the check fails before it calls the provider.
      await context.client.flows.check(projectId, id)
      const fields = { name: 'a', active: false, override_target: true, message_template: 'a' }
      assertIncludes(await change(fields), { status: 'unhealthy' }, 'the health after changing all fields except source_type and target')
      assertEqual(await change({ target: otherTargetOf(provider) }), unknownHealth, 'the health after changing the target')
      await context.client.flows.check(projectId, id)
      assertEqual(await change(context.receiver), unknownHealth, 'the health after changing source_type and target')
    },
    ['unconfigured'],
  ),

  scenario(
    'flows.get',
    200,
    `returns unhealthy after ${failuresToUnhealthy} consecutive permanent failures, but not before`,
    async (context) => {
      const { project, flow, settled } = await sendWithoutCredentials(context, async ({ flow: { id } }) =>
        Array.from({ length: failuresToUnhealthy - 1 }, () => ({ flow_id: id })),
      )
      const healthOf = async () => (await context.client.flows.get(project.id, flow.id)).health
      const notifications = await settled()
      assertEqual(
        notifications.map(({ status }) => status),
        Array<string>(failuresToUnhealthy - 1).fill('failed'),
        'the notification statuses',
      )
      assertEqual(await healthOf(), unknownHealth, `the health after ${failuresToUnhealthy - 1} failures`)
      const failAgain = async (count: number) => {
        const failing = notifications.slice(0, count).map(({ id }) => id)
        await Promise.all(failing.map((id) => context.client.notifications.retry(id)))
        await Promise.all(failing.map((id) => context.client.notifications.get(id, { wait: 30 })))
      }
      const { source_type, settings, secrets } = context.unconfiguredProvider()
      await context.client.integrations.put(project.id, source_type, { settings, secrets })
      await context.client.integrations.delete(project.id, source_type)
      await failAgain(1)
      assertEqual(await healthOf(), unknownHealth, 'the health after the first failure since the credentials changed')
      await failAgain(failuresToUnhealthy - 2)
      assertEqual(await healthOf(), unknownHealth, `the health after ${failuresToUnhealthy - 1} failures since the credentials changed`)
      await context.client.eventEndpoints.create(project.id, { url: null, events: ['flow.unhealthy'] })
      await failAgain(1)
      const unhealthy = { status: 'unhealthy', code: 'integration_missing', checked_at: null }
      assertIncludes(await healthOf(), unhealthy, `the health after ${failuresToUnhealthy} failures`)
      const { data } = await context.client.events.list({ project_id: project.id, wait: 10 })
      assertIncludes(data, [{ type: 'flow.unhealthy', data: { id: flow.id, health: unhealthy } }], 'the events')
    },
    ['unconfigured'],
  ),

  scenario(
    'flows.get',
    200,
    'does not count failures of the previous provider toward the health of the flow',
    async (context) => {
      const { project, flow, settled } = await sendWithoutCredentials(context, async ({ flow: { id } }) =>
        Array.from({ length: failuresToUnhealthy }, () => ({ flow_id: id })),
      )
      await context.client.flows.patch(project.id, flow.id, context.receiver)
      for (const { status } of await settled()) assertEqual(status, 'failed', 'the status of a notification')
      assertEqual((await context.client.flows.get(project.id, flow.id)).health, unknownHealth, 'the health after the failures')
    },
    ['unconfigured'],
  ),
]
