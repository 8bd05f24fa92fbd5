import { assertEqual, assertIncludes } from '../assertions.ts'
import { createScheduledNotification, farFutureMs, unknownId } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const text = { subject: 'Conformance', message: 'This message must not be delivered.' }

/** Scenarios about sending and previewing notifications. */
export const sendingScenarios: readonly Scenario[] = [
  scenario('notifications.send', 202, 'creates a delivery for every active flow', async (context) => {
    const project = await context.createProject()
    const flows = [await context.createFlow(project), await context.createFlow(project)]
    await context.createFlow(project, { active: false })
    const send_at = await context.serverTime(farFutureMs)
    const sent = await context.client.notifications.send({ project_id: project.id, ...text, send_at }).withResponse()
    const { deliveries, ...head } = sent.data
    assertIncludes(head, { project_id: project.id, status: 'queued', subject: text.subject }, 'notification')
    assertEqual(
      deliveries.map(({ flow_id }) => flow_id),
      flows.map(({ id }) => id),
      'the flow ids',
    )
    for (const delivery of deliveries)
      assertIncludes(
        delivery,
        { ...context.receiver, status: 'queued', attempt_count: 0, next_attempt_at: send_at, failure: null },
        'delivery',
      )
    assertEqual(sent.response.headers.get('location'), `/v1/notifications/${head.id}`, 'the Location header')
  }),

  scenario('notifications.send', 202, 'accepts times with a UTC offset', async (context) => {
    const project = await context.createProject()
    await context.createFlow(project)
    const [send_at, expires_at] = [await context.serverTime(farFutureMs), await context.serverTime(farFutureMs + 60_000)]
    for (const [hours, offset] of [
      [5.5, '+05:30'],
      [-8, '-08:00'],
    ] as const) {
      const toLocal = (time: string) => new Date(Date.parse(time) + hours * 3_600_000).toISOString().replace('Z', offset)
      const times = { send_at: toLocal(send_at), expires_at: toLocal(expires_at) }
      const sent = await context.client.notifications.send({ project_id: project.id, ...text, ...times })
      assertIncludes(sent, { expires_at, deliveries: [{ next_attempt_at: send_at }] }, `the notification with the offset ${offset}`)
    }
  }),

  scenario('notifications.send', 202, "delivers to the request's targets instead of the flow's default target", async (context) => {
    const project = await context.createProject()
    const flow = await context.createFlow(project, { source_type: 'smtp', target: 'default@example.com', override_target: true })
    const send_at = await context.serverTime(farFutureMs)
    const target = ' one@example.com ; smtp:two@EXAMPLE.com;two@example.com'
    const sent = await context.client.notifications.send({ project_id: project.id, flow_id: flow.id, ...text, send_at, target })
    assertEqual(
      sent.deliveries.map((delivery) => delivery.target),
      ['one@example.com', 'two@EXAMPLE.com'],
      "the deliveries' targets",
    )
  }),

  scenario('notifications.send', 202, 'skips flows that no target matches, and skips other flows if flow_id is set', async (context) => {
    const project = await context.createProject()
    const email = await context.createFlow(project, { source_type: 'smtp', target: 'default@example.com', override_target: true })
    const toDefault = { project_id: project.id, ...text, send_at: await context.serverTime(farFutureMs) }
    const body = { ...toDefault, target: 'one@example.com' }
    await context.client.integrations.put(project.id, 'slack', { settings: {}, secrets: { token: 'xoxb-conformance' } })
    await context.createFlow(project, { source_type: 'slack', target: 'C024BE91L', override_target: true })
    const summarize = ({ deliveries }: { deliveries: readonly { flow_id: string; target: string }[] }) =>
      deliveries.map(({ flow_id, target }) => [flow_id, target])
    const expected = [[email.id, 'one@example.com']]
    assertEqual(summarize(await context.client.notifications.send(body)), expected, 'deliveries')
    // Without flow_id, the target also matches this flow, which does not allow overrides.
    await context.createFlow(project, { source_type: 'smtp', target: 'other@example.com', override_target: false })
    await context.expectFailure(context.client.notifications.send(body), 422, 'override_not_allowed')
    const named = await context.client.notifications.send({ ...body, flow_id: email.id })
    assertEqual(summarize(named), expected, 'the deliveries of a request with flow_id')
    const withDefault = await context.client.notifications.send({ ...toDefault, flow_id: email.id })
    assertEqual(summarize(withDefault), [[email.id, 'default@example.com']], 'the deliveries of a request without target')
  }),

  scenario('notifications.send', 404, 'returns not_found for an unknown project, and for a flow outside the project', async (context) => {
    const [one, other] = [await context.createProject(), await context.createProject()]
    const flow = await context.createFlow(other)
    for (const project_id of [unknownId('project'), 'nonsense'])
      await context.expectFailure(context.client.notifications.send({ project_id, ...text }), 404, 'not_found')
    for (const flow_id of [flow.id, unknownId('flow'), 'nonsense'])
      await context.expectFailure(context.client.notifications.send({ project_id: one.id, flow_id, ...text }), 404, 'not_found')
  }),

  scenario('notifications.send', 409, 'rejects a project without an active flow, and rejects an inactive flow', async (context) => {
    const project = await context.createProject()
    await context.expectFailure(context.client.notifications.send({ project_id: project.id, ...text }), 409, 'no_active_flows')
    const flow = await context.createFlow(project, { active: false })
    await context.expectFailure(context.client.notifications.send({ project_id: project.id, ...text }), 409, 'no_active_flows')
    await context.expectFailure(
      context.client.notifications.send({ project_id: project.id, flow_id: flow.id, ...text }),
      409,
      'flow_inactive',
    )
  }),

  scenario(
    'notifications.send',
    409,
    'rejects a notification when the provider of its flow has no credentials',
    async (context) => {
      const { source_type, target } = context.unconfiguredProvider()
      const project = await context.createProject()
      await context.createFlow(project, { source_type, target })
      await context.expectFailure(context.client.notifications.send({ project_id: project.id, ...text }), 409, 'integration_missing')
    },
    ['rejectsWithoutCredentials'],
  ),

  scenario('notifications.send', 422, 'sends nothing when a target is rejected', async (context) => {
    const project = await context.createProject()
    const body = { project_id: project.id, ...text }
    await context.createFlow(project, { source_type: 'smtp', target: 'default@example.com', override_target: false })
    await context.expectFailure(context.client.notifications.send({ ...body, target: 'one@example.com' }), 422, 'override_not_allowed')
    await context.expectFailure(context.client.notifications.send({ ...body, target: 'C024BE91L' }), 422, 'target_unroutable')
    const both = context.client.notifications.send({ ...body, target: 'C024BE91L;one@example.com' })
    const { errors } = await context.expectFailure(both, 422, 'override_not_allowed')
    assertEqual(
      errors.map(({ code }) => code),
      ['target_unroutable', 'override_not_allowed'],
      'the errors for two targets',
    )
    for (const target of ['one@example.com;', 'smtp:', 'smtp:C024BE91L', ';'])
      await context.expectFailure(context.client.notifications.send({ ...body, target }), 422, 'validation_failed')
    const { data } = await context.client.notifications.list({ project_id: project.id })
    assertEqual(data, [], "the project's notifications")
  }),

  scenario('notifications.send', 422, 'rejects more deliveries than a notification may have', async (context) => {
    const project = await context.createProject()
    const fields = { source_type: 'smtp', target: 'default@example.com', override_target: true }
    for (let count = 0; count < 11; count += 1) await context.createFlow(project, fields)
    const target = Array.from({ length: 100 }, (_, index) => `user-${index}@example.com`).join(';')
    await context.expectFailure(context.client.notifications.send({ project_id: project.id, ...text, target }), 422, 'too_many_deliveries')
    const tooMany = await context.expectFailure(
      context.client.notifications.send({ project_id: project.id, ...text, target: `${target};one@example.com` }),
      422,
      'validation_failed',
    )
    assertIncludes(tooMany.errors, [{ in: 'body', pointer: '/target', code: 'too_long' }], 'errors')
  }),

  scenario('notifications.send', 422, 'returns all issues of an invalid notification together', async (context) => {
    const project = await context.createProject()
    await context.createFlow(project)
    const json = { project_id: project.id, subject: 'two\nlines', message: '', message_type: 'text/rtf', send_at: 'tomorrow' }
    const response = await context.http.expect('notifications.send', 422, { json }, 'validation_failed')
    const issues = response.json.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
    assertEqual(
      issues.sort(),
      ['/message too_short', '/message_type invalid_value', '/send_at invalid_value', '/subject invalid_text'],
      'errors',
    )
    const send_at = await context.serverTime(31 * 24 * 3_600_000)
    const late = await context.expectFailure(
      context.client.notifications.send({ project_id: project.id, ...text, send_at }),
      422,
      'validation_failed',
    )
    assertIncludes(late.errors, [{ in: 'body', pointer: '/send_at', code: 'too_big' }], 'errors for a send_at too far ahead')
  }),

  ...(['notifications.send', 'notifications.preview'] as const).map((operation) =>
    scenario(operation, 422, 'returns the issues in times, targets and other fields together', async (context) => {
      const project = await context.createProject()
      await context.createFlow(project)
      const [send_at, expires_at] = [await context.serverTime(31 * 24 * 3_600_000), await context.serverTime(-1)]
      const json = { project_id: project.id, ...text, send_at, expires_at, target: 'smtp:nonsense;smtp:;ops@example.com' }
      const expected = ['/expires_at too_small', '/send_at too_big', '/target invalid_target', '/target invalid_target']
      for (const [fields, further] of [
        [{}, []],
        [{ subject: '' }, ['/subject too_short']],
        [{ colour: 'red\u0000' }, ['/colour invalid_text']],
        [{ project_id: undefined }, ['/project_id required']],
      ] as const) {
        const response = await context.http.expect(operation, 422, { json: { ...json, ...fields } }, 'validation_failed')
        const issues = response.json.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
        assertEqual(issues.sort(), [...expected, ...further].sort(), `errors with ${JSON.stringify(fields)}`)
      }
    }),
  ),

  ...(['notifications.send', 'notifications.preview'] as const).map((operation) =>
    scenario(operation, 422, 'validates the request before reading the project', async (context) => {
      const send_at = await context.serverTime(31 * 24 * 3_600_000)
      const json = { project_id: unknownId('project'), ...text, send_at }
      await context.http.expect(operation, 422, { json }, 'validation_failed')
    }),
  ),

  scenario('notifications.preview', 200, 'returns the content without sending it', async (context) => {
    const project = await context.createProject()
    const html = await context.createFlow(project, {
      source_type: 'smtp',
      target: 'ops@example.com',
      message_template: '<h1>{{subject}}</h1><p>{{message}}</p>',
      message_template_type: 'text/html',
    })
    const inactive = await context.createFlow(project, { active: false })
    const { flows } = await context.client.notifications.preview({
      project_id: project.id,
      subject: 'A & B',
      message: '{{subject}} <\nend',
    })
    assertIncludes(
      flows,
      [
        {
          flow_id: html.id,
          outcome: 'matched',
          reason: null,
          targets: ['ops@example.com'],
          content: { subject: 'A & B', html: '<h1>A &amp; B</h1><p>{{subject}} &lt;<br>end</p>' },
        },
        { flow_id: inactive.id, outcome: 'skipped', reason: 'inactive', targets: [], content: null },
      ],
      'flows',
    )
    const { data } = await context.client.notifications.list({ project_id: project.id })
    assertEqual(data, [], "the project's notifications")
  }),

  scenario('notifications.preview', 404, 'returns not_found for an unknown or malformed project id', async (context) => {
    for (const project_id of [unknownId('project'), 'nonsense'])
      await context.expectFailure(context.client.notifications.preview({ project_id, ...text }), 404, 'not_found')
  }),

  scenario('notifications.preview', 409, 'rejects a project without an active flow', async (context) => {
    const project = await context.createProject()
    await context.expectFailure(context.client.notifications.preview({ project_id: project.id, ...text }), 409, 'no_active_flows')
  }),

  scenario('notifications.preview', 422, 'rejects a target that matches no flow', async (context) => {
    const { project } = await createScheduledNotification(context)
    const body = { project_id: project.id, ...text, target: 'pigeon:coop-7' }
    await context.expectFailure(context.client.notifications.preview(body), 422, 'target_unroutable')
  }),
]
