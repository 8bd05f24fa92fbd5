import { equal, includes } from '../failure.ts'
import { farAheadMs, scheduled, unknownId } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const text = { subject: 'Conformance', message: 'Nobody should get this.' }

/** What sending and previewing do. */
export const sendingScenarios: readonly Scenario[] = [
  scenario('notifications.send', 202, 'accepts a message for every active flow', async (context) => {
    const project = await context.project()
    const flows = [await context.flow(project), await context.flow(project)]
    await context.flow(project, { active: false })
    const send_at = await context.serverTime(farAheadMs)
    const sent = await context.client.notifications.send({ project_id: project.id, ...text, send_at }).withResponse()
    const { deliveries, ...head } = sent.data
    includes(head, { project_id: project.id, status: 'queued', subject: text.subject }, 'notification')
    equal(
      deliveries.map(({ flow_id }) => flow_id),
      flows.map(({ id }) => id),
      'flows',
    )
    for (const delivery of deliveries)
      includes(delivery, { ...context.receiver, status: 'queued', attempt_count: 0, next_attempt_at: send_at, failure: null }, 'delivery')
    equal(sent.response.headers.get('location'), `/v1/notifications/${head.id}`, 'Location')
  }),

  scenario('notifications.send', 202, 'delivers to the targets of the request instead of the default', async (context) => {
    const project = await context.project()
    const flow = await context.flow(project, { source_type: 'smtp', target: 'default@example.com', override_target: true })
    const send_at = await context.serverTime(farAheadMs)
    const target = ' one@example.com ; smtp:two@EXAMPLE.com;two@example.com'
    const sent = await context.client.notifications.send({ project_id: project.id, flow_id: flow.id, ...text, send_at, target })
    equal(
      sent.deliveries.map((delivery) => delivery.target),
      ['one@example.com', 'two@EXAMPLE.com'],
      'targets',
    )
  }),

  scenario('notifications.send', 404, 'knows no project and no flow that is not the user’s', async (context) => {
    const [one, other] = [await context.project(), await context.project()]
    const flow = await context.flow(other)
    for (const project_id of [unknownId('project'), 'nonsense'])
      await context.fails(context.client.notifications.send({ project_id, ...text }), 404, 'not_found')
    for (const flow_id of [flow.id, unknownId('flow'), 'nonsense'])
      await context.fails(context.client.notifications.send({ project_id: one.id, flow_id, ...text }), 404, 'not_found')
  }),

  scenario('notifications.send', 409, 'refuses a project without an active flow, and a flow that is not active', async (context) => {
    const project = await context.project()
    await context.fails(context.client.notifications.send({ project_id: project.id, ...text }), 409, 'no_active_flows')
    const flow = await context.flow(project, { active: false })
    await context.fails(context.client.notifications.send({ project_id: project.id, ...text }), 409, 'no_active_flows')
    await context.fails(context.client.notifications.send({ project_id: project.id, flow_id: flow.id, ...text }), 409, 'flow_inactive')
  }),

  scenario(
    'notifications.send',
    409,
    'refuses a flow that there are no credentials for',
    async (context) => {
      const { source_type, target } = context.unconfigured()
      const project = await context.project()
      await context.flow(project, { source_type, target })
      await context.fails(context.client.notifications.send({ project_id: project.id, ...text }), 409, 'integration_missing')
    },
    ['unconfigured', 'refuses without credentials'],
  ),

  scenario('notifications.send', 422, 'sends nothing where a target is refused', async (context) => {
    const project = await context.project()
    const body = { project_id: project.id, ...text }
    await context.flow(project, { source_type: 'smtp', target: 'default@example.com', override_target: false })
    await context.fails(context.client.notifications.send({ ...body, target: 'one@example.com' }), 422, 'override_not_allowed')
    await context.fails(context.client.notifications.send({ ...body, target: 'C024BE91L' }), 422, 'target_unroutable')
    for (const target of ['one@example.com;', 'smtp:', 'smtp:C024BE91L', ';'])
      await context.fails(context.client.notifications.send({ ...body, target }), 422, 'validation_failed')
    const { data } = await context.client.notifications.list({ project_id: project.id })
    equal(data, [], 'the notifications of the project')
  }),

  scenario('notifications.send', 422, 'refuses more deliveries than a notification may have', async (context) => {
    const project = await context.project()
    const fields = { source_type: 'smtp', target: 'default@example.com', override_target: true }
    for (let count = 0; count < 11; count += 1) await context.flow(project, fields)
    const target = Array.from({ length: 100 }, (_, index) => `user-${index}@example.com`).join(';')
    await context.fails(context.client.notifications.send({ project_id: project.id, ...text, target }), 422, 'too_many_deliveries')
    const tooMany = await context.fails(
      context.client.notifications.send({ project_id: project.id, ...text, target: `${target};one@example.com` }),
      422,
      'validation_failed',
    )
    includes(tooMany.errors, [{ in: 'body', pointer: '/target', code: 'too_long' }], 'errors')
  }),

  scenario('notifications.send', 422, 'tells every fault of a message', async (context) => {
    const project = await context.project()
    await context.flow(project)
    const json = { project_id: project.id, subject: 'two\nlines', message: '', message_type: 'text/rtf', send_at: 'tomorrow' }
    const answer = await context.http.expect('notifications.send', 422, { json }, 'validation_failed')
    const faults = answer.json.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
    equal(faults.sort(), ['/message too_short', '/message_type invalid_value', '/send_at invalid_value', '/subject invalid_text'], 'errors')
    const send_at = await context.serverTime(31 * 24 * 3_600_000)
    const late = await context.fails(
      context.client.notifications.send({ project_id: project.id, ...text, send_at }),
      422,
      'validation_failed',
    )
    includes(late.errors, [{ in: 'body', pointer: '/send_at', code: 'too_big' }], 'errors')
  }),

  ...(['notifications.send', 'notifications.preview'] as const).map((operation) =>
    scenario(operation, 422, 'tells a fault of the request before it looks for the project', async (context) => {
      const send_at = await context.serverTime(31 * 24 * 3_600_000)
      const json = { project_id: unknownId('project'), ...text, send_at }
      await context.http.expect(operation, 422, { json }, 'validation_failed')
    }),
  ),

  scenario('notifications.preview', 200, 'shows what would be sent, and sends nothing', async (context) => {
    const project = await context.project()
    const html = await context.flow(project, {
      source_type: 'smtp',
      target: 'ops@example.com',
      message_template: '<h1>{{subject}}</h1><p>{{message}}</p>',
      message_template_type: 'text/html',
    })
    const asleep = await context.flow(project, { active: false })
    const { flows } = await context.client.notifications.preview({
      project_id: project.id,
      subject: 'A & B',
      message: '{{subject}} <\nend',
    })
    includes(
      flows,
      [
        {
          flow_id: html.id,
          outcome: 'matched',
          reason: null,
          targets: ['ops@example.com'],
          content: { subject: 'A & B', html: '<h1>A &amp; B</h1><p>{{subject}} &lt;<br>end</p>' },
        },
        { flow_id: asleep.id, outcome: 'skipped', reason: 'inactive', targets: [], content: null },
      ],
      'flows',
    )
    const { data } = await context.client.notifications.list({ project_id: project.id })
    equal(data, [], 'the notifications of the project')
  }),

  scenario('notifications.preview', 404, 'knows no project that is not the user’s', async (context) => {
    for (const project_id of [unknownId('project'), 'nonsense'])
      await context.fails(context.client.notifications.preview({ project_id, ...text }), 404, 'not_found')
  }),

  scenario('notifications.preview', 409, 'explains nothing where no flow is active', async (context) => {
    const project = await context.project()
    await context.fails(context.client.notifications.preview({ project_id: project.id, ...text }), 409, 'no_active_flows')
  }),

  scenario('notifications.preview', 422, 'refuses a target that reaches no flow', async (context) => {
    const { project } = await scheduled(context)
    const body = { project_id: project.id, ...text, target: 'pigeon:coop-7' }
    await context.fails(context.client.notifications.preview(body), 422, 'target_unroutable')
  }),
]
