import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import { createScheduledNotification, unknownId } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

/** Scenarios about requests that read or send directly after a write. */
export const readAfterWriteScenarios: readonly Scenario[] = [
  scenario('notifications.get', 200, 'returns the same notification as the send request', async (context) => {
    const { notification } = await createScheduledNotification(context)
    const { deliveries, ...head } = await context.client.notifications.get(notification.id)
    const withoutAttempts = deliveries.map(({ attempts: _, ...delivery }) => delivery)
    assertEqual({ ...head, deliveries: withoutAttempts }, notification, 'the notification, read again')
    const { data } = await context.client.notifications.list({ project_id: head.project_id })
    assertIncludes(data, [notification], 'the notification in the list')
  }),

  scenario('notifications.get', 200, 'ends a wait when the notification is canceled', async (context) => {
    const { notification } = await createScheduledNotification(context)
    const waiting = context.client.notifications.get(notification.id, { wait: 30 })
    // Gives the server time to receive the request above. That request is then usually waiting when the notification is
    // canceled.
    await context.serverTime(0)
    const canceled = await context.client.notifications.cancel(notification.id)
    const canceledAt = performance.now()
    const read = await waiting
    const elapsedMs = performance.now() - canceledAt
    assert(elapsedMs < 15_000, 'a wait must end less than 15,000 ms after the notification is canceled', elapsedMs)
    // A server with a simulated clock may have ended the wait before the cancellation.
    if (read.status !== 'queued') assertIncludes(read, canceled, 'notification')
  }),

  scenario(
    'notifications.get',
    200,
    'ends a wait when the last delivery has a final status',
    async (context) => {
      const project = await context.createProject()
      await context.createFlow(project)
      const send_at = await context.serverTime(1_000)
      const { id } = await context.client.notifications.send({ project_id: project.id, subject: 'Conformance', message: 'M', send_at })
      const read = await context.client.notifications.get(id, { wait: 30 })
      const lateMs = Date.parse(await context.serverTime(0)) - Date.parse(read.deliveries[0]?.sent_at ?? '')
      assert(lateMs < 10_000, 'the wait must end less than 10,000 ms after the message is sent', lateMs)
    },
    ['mayDeliver'],
  ),

  scenario('notifications.preview', 404, 'returns not_found for a flow that is not in the project', async (context) => {
    const { project, body } = await createScheduledNotification(context)
    const other = await context.createFlow(await context.createProject())
    const { send_at: _, ...message } = body
    for (const flow_id of [other.id, unknownId('flow'), 'nonsense'])
      await context.expectFailure(context.client.notifications.preview({ ...message, project_id: project.id, flow_id }), 404, 'not_found')
  }),

  scenario('notifications.send', 409, 'rejects a flow that has just become inactive', async (context) => {
    const { project, flow, body } = await createScheduledNotification(context)
    await context.client.flows.patch(project.id, flow.id, { active: false })
    await context.expectFailure(context.client.notifications.send(body), 409, 'no_active_flows')
    await context.client.flows.patch(project.id, flow.id, { active: true })
    assertIncludes(await context.client.notifications.send(body), { status: 'queued' }, 'the notification')
    const params = { project_id: project.id, flow_id: flow.id }
    const { name, source_type, target, override_target, message_template, message_template_type } = flow
    const json = { name, source_type, target, override_target, message_template, message_template_type, active: false }
    await context.http.expect('flows.update', 200, { params, json })
    await context.expectFailure(context.client.notifications.send(body), 409, 'no_active_flows')
    await context.client.flows.delete(project.id, flow.id)
    await context.expectFailure(context.client.notifications.send({ ...body, flow_id: flow.id }), 404, 'not_found')
  }),
]
