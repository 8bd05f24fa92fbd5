import type { ScenarioContext } from '../context.ts'
import { equal, holds, includes } from '../failure.ts'
import { farAheadMs, scheduled, unknownId } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const text = { subject: 'Conformance', message: 'Nobody should get this.' }

/** A notification that has failed: the project's own credentials were removed before its time came. */
const failed = async (context: ScenarioContext) => {
  const { source_type, target, settings, secrets } = context.unconfigured()
  const project = await context.project()
  await context.client.integrations.put(project.id, source_type, { settings, secrets })
  const flow = await context.flow(project, { source_type, target })
  const send_at = await context.serverTime(2_000)
  const { id } = await context.client.notifications.send({ project_id: project.id, ...text, send_at })
  await context.client.integrations.delete(project.id, source_type)
  return { project, flow, notification: await context.client.notifications.get(id, { wait: 30 }) }
}

/** What becomes of a notification. */
export const followingScenarios: readonly Scenario[] = [
  scenario('notifications.list', 200, 'lists the notifications of a project page by page, newest first', async (context) => {
    const { project, notification, body } = await scheduled(context)
    const second = await context.client.notifications.send(body)
    const third = await context.client.notifications.send(body)
    const listed: string[] = []
    for await (const { id } of context.client.notifications.list({ project_id: project.id, limit: 1 })) listed.push(id)
    equal(listed, [third.id, second.id, notification.id], 'ids')
  }),

  scenario('notifications.list', 200, 'lists those of a flow, and those of a status', async (context) => {
    const { project, flow, notification, body } = await scheduled(context)
    const other = await context.flow(project)
    await context.client.notifications.cancel((await context.client.notifications.send({ ...body, flow_id: other.id })).id)
    const ids = async (query: object) =>
      (await context.client.notifications.list({ project_id: project.id, ...query })).data.map(({ id }) => id)
    equal(await ids({ flow_id: flow.id }), [notification.id], 'those of the flow')
    equal(await ids({ status: 'queued' }), [notification.id], 'those that are queued')
    equal(await ids({ flow_id: other.id, status: 'queued' }), [], 'those of the other flow that are queued')
  }),

  scenario('notifications.list', 400, 'refuses a cursor under another filter', async (context) => {
    const { project, flow, body } = await scheduled(context)
    await context.client.notifications.send(body)
    const filters = { project_id: project.id, flow_id: flow.id, status: 'queued' } as const
    const { next_cursor } = await context.client.notifications.list({ ...filters, limit: 1 })
    holds(next_cursor, 'a list with more to come has a next_cursor')
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

  scenario('notifications.list', 404, 'knows no project and no flow that the user never had', async (context) => {
    for (const query of [{ project_id: unknownId('project') }, { project_id: 'nonsense' }, { flow_id: unknownId('flow') }])
      await context.fails(context.client.notifications.list(query), 404, 'not_found')
  }),

  scenario('notifications.list', 422, 'refuses a status that there is not', async (context) => {
    const answer = await context.http.expect('notifications.list', 422, { query: { status: 'lost' } }, 'validation_failed')
    includes(answer.json.errors, [{ in: 'query', pointer: '/status', code: 'invalid_value' }], 'errors')
  }),

  scenario('notifications.get', 200, 'reads a notification with its deliveries and their attempts', async (context) => {
    const { notification } = await scheduled(context)
    const read = await context.client.notifications.get(notification.id)
    includes(
      read,
      { id: notification.id, status: 'queued', deliveries: [{ id: notification.deliveries[0]?.id, attempts: [] }] },
      'notification',
    )
  }),

  scenario('notifications.get', 401, 'does not answer a wait with a key that has ended meanwhile', async (context) => {
    const { params } = await scheduled(context)
    const { key } = await context.key({ expires_at: await context.serverTime(2_000) })
    await context.http.expect('notifications.get', 401, { params, key, query: { wait: '3' } }, 'unauthenticated')
  }),

  scenario('notifications.get', 422, 'waits 1 to 60 seconds', async (context) => {
    const { params } = await scheduled(context)
    for (const wait of ['0', '61', '1.5', '']) {
      const answer = await context.http.expect('notifications.get', 422, { params, query: { wait } }, 'validation_failed')
      equal(
        answer.json.errors.map(({ pointer }: { pointer: string }) => pointer),
        ['/wait'],
        `errors for wait=${wait}`,
      )
    }
  }),

  scenario(
    'notifications.get',
    200,
    'waits until the message was delivered',
    async (context) => {
      const project = await context.project()
      const flow = await context.flow(project)
      const sent = await context.client.notifications.send({
        project_id: project.id,
        subject: 'Conformance',
        message: 'A message of the conformance suite.',
      })
      const settled = await context.client.notifications.get(sent.id, { wait: 30 })
      const [delivery] = settled.deliveries
      includes(
        settled,
        { status: 'sent', deliveries: [{ flow_id: flow.id, status: 'sent', attempt_count: 1, failure: null }] },
        'notification',
      )
      holds(delivery?.sent_at, 'a delivery that was sent says when')
      const outcome = delivery?.captured ? 'captured' : 'sent'
      includes(delivery?.attempts, [{ number: 1, outcome }], 'attempts')
      equal(typeof delivery?.attempts[0]?.duration_ms, 'number', 'the type of duration_ms')
    },
    ['mayDeliver'],
  ),

  scenario(
    'notifications.cancel',
    200,
    'leaves what was sent as it is, and nothing of it can be retried',
    async (context) => {
      const project = await context.project()
      await context.flow(project)
      // What is put off until an instant that has passed is sent now.
      const { id, deliveries } = await context.client.notifications.send({
        project_id: project.id,
        ...text,
        send_at: '2001-01-01T00:00:00Z',
      })
      equal(deliveries[0]?.next_attempt_at, null, 'next_attempt_at')
      const sent = await context.client.notifications.get(id, { wait: 30 })
      includes(
        await context.client.notifications.cancel(id),
        { status: 'sent', deliveries: [{ status: 'sent' }] },
        'the answer to a cancel',
      )
      await context.fails(context.client.notifications.retry(id), 409, 'not_retryable')
      equal(await context.client.notifications.get(id), sent, 'the notification, read again')
    },
    ['mayDeliver'],
  ),

  scenario('notifications.deliveries', 200, 'lists all deliveries page by page, newest first', async (context) => {
    const project = await context.project()
    await context.flow(project, { source_type: 'smtp', target: 'default@example.com', override_target: true })
    await context.flow(project, { source_type: 'smtp', target: 'default@example.com', override_target: true })
    const target = Array.from({ length: 60 }, (_, index) => `user-${index}@example.com`).join(';')
    const send_at = await context.serverTime(farAheadMs)
    const sent = await context.client.notifications.send({ project_id: project.id, ...text, target, send_at })
    equal(sent.deliveries.length, 100, 'how many deliveries are embedded')
    const listed: string[] = []
    for await (const { id } of context.client.notifications.deliveries(sent.id, { limit: 50 })) listed.push(id)
    equal([listed.length, new Set(listed).size], [120, 120], 'how many deliveries are listed, and how many different ones')
    equal(
      listed.toReversed().slice(0, 100),
      sent.deliveries.map(({ id }) => id),
      'the first 100',
    )
  }),

  scenario('notifications.cancel', 200, 'cancels what waits, and changes nothing the second time', async (context) => {
    const { notification } = await scheduled(context)
    const canceled = await context.client.notifications.cancel(notification.id)
    includes(canceled, { status: 'canceled', deliveries: [{ status: 'canceled', next_attempt_at: null }] }, 'notification')
    equal(await context.client.notifications.cancel(notification.id), canceled, 'the answer to a second cancel')
  }),

  scenario('notifications.cancel', 200, 'is done by deleting the flow, or the project; the log stays', async (context) => {
    const { project, flow, notification, body } = await scheduled(context)
    await context.client.flows.delete(project.id, flow.id)
    includes(await context.client.notifications.get(notification.id), { status: 'canceled' }, 'after the flow was deleted')
    await context.flow(project)
    const second = await context.client.notifications.send(body)
    await context.client.projects.delete(project.id)
    includes(await context.client.notifications.get(second.id), { status: 'canceled' }, 'after the project was deleted')
    const { data } = await context.client.notifications.list({ project_id: project.id })
    equal(
      data.map(({ id }) => id),
      [second.id, notification.id],
      'the log of a deleted project',
    )
  }),

  scenario('notifications.retry', 409, 'has nothing to do where nothing has failed', async (context) => {
    const { notification } = await scheduled(context)
    await context.fails(context.client.notifications.retry(notification.id), 409, 'not_retryable')
    await context.client.notifications.cancel(notification.id)
    await context.fails(context.client.notifications.retry(notification.id), 409, 'not_retryable')
  }),

  scenario(
    'notifications.retry',
    202,
    'queues what has failed, and nothing else',
    async (context) => {
      const { notification } = await failed(context)
      const failure = { kind: 'credential', code: 'integration_missing', retryable: false }
      includes(notification, { status: 'failed', deliveries: [{ status: 'failed', attempt_count: 1, failure }] }, 'notification')
      const retried = await context.client.notifications.retry(notification.id)
      includes(retried, { status: 'queued', deliveries: [{ status: 'queued', failure: null }] }, 'the answer')
      const again = await context.client.notifications.get(notification.id, { wait: 30 })
      includes(again, { status: 'failed', deliveries: [{ status: 'failed', attempt_count: 2 }] }, 'after the retry')
      equal(
        again.deliveries[0]?.attempts.map(({ number, outcome }) => [number, outcome]),
        [
          [1, 'failed'],
          [2, 'failed'],
        ],
        'attempts',
      )
    },
    ['unconfigured'],
  ),

  scenario(
    'notifications.retry',
    409,
    'leaves out what has failed for a flow that is gone',
    async (context) => {
      const { project, flow, notification } = await failed(context)
      await context.client.flows.delete(project.id, flow.id)
      await context.fails(context.client.notifications.retry(notification.id), 409, 'not_retryable')
    },
    ['unconfigured'],
  ),
]
