import { assertIncludes } from '../assertions.ts'
import { createScheduledNotification, farFutureMs } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { apply, create, flowOf } from '../settings-documents.ts'

const text = { subject: 'Conformance', message: 'This message must not be delivered.' }
const settings = { host: 'smtp.example.com', from: 'conformance@example.com' }

/** Scenarios about the effects of deletions on pending messages. */
export const deletionScenarios: readonly Scenario[] = [
  scenario('flows.delete', 204, "cancels only the flow's deliveries", async (context) => {
    const project = await context.createProject()
    const [deleted, remaining] = [await context.createFlow(project), await context.createFlow(project)]
    const send_at = await context.serverTime(farFutureMs)
    const { id } = await context.client.notifications.send({ project_id: project.id, ...text, send_at })
    const other = await createScheduledNotification(context)
    await context.client.flows.delete(project.id, deleted.id)
    const { deliveries } = await context.client.notifications.get(id)
    assertIncludes(
      deliveries,
      [
        { flow_id: deleted.id, status: 'canceled' },
        { flow_id: remaining.id, status: 'queued' },
      ],
      'deliveries',
    )
    assertIncludes(
      await context.client.notifications.get(other.notification.id),
      { status: 'queued' },
      'the notification in another project',
    )
  }),

  scenario('notifications.list', 200, "lists a deleted flow's notifications", async (context) => {
    const { project, flow, notification } = await createScheduledNotification(context)
    await context.client.flows.delete(project.id, flow.id)
    const { data } = await context.client.notifications.list({ flow_id: flow.id })
    assertIncludes(data, [{ id: notification.id, status: 'canceled' }], 'notifications')
  }),

  ...(['integrations.delete', 'settings.apply'] as const).map((operation) =>
    scenario(
      operation,
      operation === 'integrations.delete' ? 204 : 200,
      "fails pending messages instead of sending them with the deployment's credentials",
      async (context) => {
        const flow = flowOf(context, 'ops', { source_type: 'smtp', target: 'conformance@example.com' })
        const { document, projectId } = await create(context, { flows: [flow], integrations: [{ source_type: 'smtp', settings }] })
        const send_at = await context.serverTime(2_000)
        const { id } = await context.client.notifications.send({ project_id: projectId, ...text, send_at })
        if (operation === 'integrations.delete') await context.client.integrations.delete(projectId, 'smtp')
        else await apply(context, { ...document, integrations: [], prune: true })
        const failure = { kind: 'credential', code: 'integration_missing' }
        const deliveries = [{ status: 'failed', captured: false, failure }]
        assertIncludes(await context.client.notifications.get(id, { wait: 30 }), { status: 'failed', deliveries }, 'notification')
      },
      ['mayDeliver'],
    ),
  ),
]
