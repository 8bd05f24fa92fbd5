import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import { collectIds } from '../pages.ts'
import { createScheduledNotification, farFutureMs, unknownId } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { createSending } from '../sending-notifications.ts'

const text = { subject: 'Conformance', message: 'This message must not be delivered.' }

/** Scenarios about accepted notifications. */
export const notificationLifecycleScenarios: readonly Scenario[] = [
  scenario('notifications.list', 200, "pages through a project's notifications, newest first", async (context) => {
    const { project, notification, body } = await createScheduledNotification(context)
    const second = await context.client.notifications.send(body)
    const third = await context.client.notifications.send(body)
    const pages = await collectIds(context.client.notifications.list({ project_id: project.id, limit: 1 }))
    assertEqual(pages, [[third.id], [second.id], [notification.id]], 'the ids on each page')
  }),

  scenario('notifications.list', 200, 'filters by flow and by status', async (context) => {
    const { project, flow, notification, body } = await createScheduledNotification(context)
    const other = await context.createFlow(project)
    await context.client.notifications.cancel((await context.client.notifications.send({ ...body, flow_id: other.id })).id)
    const ids = async (query: object) =>
      (await context.client.notifications.list({ project_id: project.id, ...query })).data.map(({ id }) => id)
    assertEqual(await ids({ flow_id: flow.id }), [notification.id], "the flow's notifications")
    assertEqual(await ids({ status: 'queued' }), [notification.id], 'the queued notifications')
    assertEqual(await ids({ flow_id: other.id, status: 'queued' }), [], "the other flow's queued notifications")
  }),

  scenario('notifications.list', 400, 'rejects a cursor with different filters', async (context) => {
    const { project, flow, body } = await createScheduledNotification(context)
    await context.client.notifications.send(body)
    const filters = { project_id: project.id, flow_id: flow.id, status: 'queued' } as const
    const { next_cursor } = await context.client.notifications.list({ ...filters, limit: 1 })
    assert(next_cursor, 'a list with more pages must have a next_cursor')
    const cursor = next_cursor ?? ''
    await context.client.notifications.list({ ...filters, cursor })
    const { project_id, flow_id, status } = filters
    for (const query of [
      { project_id, flow_id },
      { project_id, status },
      { flow_id, status },
      { ...filters, status: 'sending' },
    ])
      await context.http.expect('notifications.list', 400, { query: { ...query, cursor } }, 'invalid_cursor')
  }),

  scenario('notifications.list', 404, 'returns not_found for an unknown project or flow', async (context) => {
    for (const query of [{ project_id: unknownId('project') }, { project_id: 'nonsense' }, { flow_id: unknownId('flow') }])
      await context.expectFailure(context.client.notifications.list(query), 404, 'not_found')
  }),

  scenario('notifications.list', 422, 'rejects an unknown status', async (context) => {
    const response = await context.http.expect('notifications.list', 422, { query: { status: 'lost' } }, 'validation_failed')
    assertIncludes(response.json.errors, [{ in: 'query', pointer: '/status', code: 'invalid_value' }], 'errors')
  }),

  scenario('notifications.get', 200, 'returns a notification with its deliveries and their attempts', async (context) => {
    const { notification } = await createScheduledNotification(context)
    const read = await context.client.notifications.get(notification.id)
    assertIncludes(
      read,
      { id: notification.id, status: 'queued', deliveries: [{ id: notification.deliveries[0]?.id, attempts: [] }] },
      'notification',
    )
  }),

  scenario(
    'notifications.cancel',
    200,
    'does not change sent deliveries or make them retryable',
    async (context) => {
      const project = await context.createProject()
      await context.createFlow(project)
      // A message whose send_at is in the past is sent immediately.
      const { id, deliveries } = await context.client.notifications.send({
        project_id: project.id,
        ...text,
        send_at: '2001-01-01T00:00:00Z',
      })
      assertEqual(deliveries[0]?.next_attempt_at, null, 'next_attempt_at')
      const sent = await context.client.notifications.get(id, { wait: 30 })
      assertIncludes(
        await context.client.notifications.cancel(id),
        { status: 'sent', deliveries: [{ status: 'sent' }] },
        'the response to a cancellation',
      )
      await context.expectFailure(context.client.notifications.retry(id), 409, 'not_retryable')
      assertEqual(await context.client.notifications.get(id), sent, 'the notification, read again')
    },
    ['mayDeliver'],
  ),

  scenario('notifications.deliveries', 200, 'pages through all deliveries, newest first', async (context) => {
    const project = await context.createProject()
    await context.createFlow(project, { source_type: 'smtp', target: 'default@example.com', override_target: true })
    await context.createFlow(project, { source_type: 'smtp', target: 'default@example.com', override_target: true })
    const target = Array.from({ length: 60 }, (_, index) => `user-${index}@example.com`).join(';')
    const send_at = await context.serverTime(farFutureMs)
    const sent = await context.client.notifications.send({ project_id: project.id, ...text, target, send_at })
    assertEqual(sent.deliveries.length, 100, 'number of embedded deliveries')
    const pages = await collectIds(context.client.notifications.deliveries(sent.id, { limit: 50 }))
    assertEqual(
      pages.map(({ length }) => length),
      [50, 50, 20],
      'number of deliveries per page',
    )
    assertEqual(
      pages.flat().toReversed().slice(0, 100),
      sent.deliveries.map(({ id }) => id),
      'the ids of the first 100 deliveries',
    )
  }),

  scenario('notifications.get', 200, 'returns an accepted notification unchanged after its flow changes', async (context) => {
    const { project, flow, notification } = await createScheduledNotification(context)
    const change = { source_type: 'slack', target: 'C024BE91L', active: false, message_template: 'changed', override_target: true }
    await context.client.flows.patch(project.id, flow.id, change)
    assertIncludes(await context.client.notifications.get(notification.id), notification, 'the notification, read again')
  }),

  scenario('notifications.cancel', 200, 'cancels pending deliveries, and changes nothing the second time', async (context) => {
    const { notification } = await createScheduledNotification(context)
    const canceled = await context.client.notifications.cancel(notification.id)
    assertIncludes(canceled, { status: 'canceled', deliveries: [{ status: 'canceled', next_attempt_at: null }] }, 'notification')
    assertEqual(await context.client.notifications.cancel(notification.id), canceled, 'the response to a second cancellation')
  }),

  scenario('notifications.cancel', 200, 'does not cancel a delivery that is being sent', async (context) => {
    const { id } = await createSending(context)
    assertIncludes(
      await context.client.notifications.cancel(id),
      { status: 'sending', deliveries: [{ status: 'sending' }] },
      'the response',
    )
    assertIncludes(await context.client.notifications.get(id), { deliveries: [{ status: 'sending' }] }, 'the notification')
  }),

  scenario(
    'notifications.cancel',
    200,
    'cancels pending deliveries when the flow or project is deleted, and keeps the notifications',
    async (context) => {
      const { project, flow, notification, body } = await createScheduledNotification(context)
      await context.client.flows.delete(project.id, flow.id)
      assertIncludes(
        await context.client.notifications.get(notification.id),
        { status: 'canceled' },
        'the notification after the flow was deleted',
      )
      await context.createFlow(project)
      const second = await context.client.notifications.send(body)
      await context.client.projects.delete(project.id)
      assertIncludes(
        await context.client.notifications.get(second.id),
        { status: 'canceled' },
        'the notification after the project was deleted',
      )
      const { data } = await context.client.notifications.list({ project_id: project.id })
      assertEqual(
        data.map(({ id }) => id),
        [second.id, notification.id],
        "the ids of the deleted project's notifications",
      )
    },
  ),
]
