import { assertEqual, assertIncludes } from '../assertions.ts'
import { collectIds, idOf } from '../pages.ts'
import { createScheduledNotification } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

/** Scenarios about edge cases of individual rules. */
export const exactRuleScenarios: readonly Scenario[] = [
  scenario('projects.create', 413, 'rejects a body that is one byte over the maximum size', async ({ http, target }) => {
    const maxBytes = target.bodyLimitBytes ?? 1_048_576
    const headers = { 'content-type': 'application/json' }
    // White space counts toward the size. The body lacks the field `name`, so no project is created.
    const bodyOf = (bytes: number) => '{}'.padEnd(bytes)
    await http.expect('projects.create', 422, { body: bodyOf(maxBytes), headers }, 'validation_failed')
    await http.expect('projects.create', 413, { body: bodyOf(maxBytes + 1), headers }, 'body_too_large')
  }),

  scenario('projects.create', 422, 'escapes ~ and / in the pointer of an unknown field', async ({ http, uniqueName }) => {
    const { json } = await http.expect('projects.create', 422, { json: { name: uniqueName(), 'a/b~c': 1 } }, 'validation_failed')
    // RFC 6901, section 3: `~` becomes `~0`, and `/` becomes `~1`.
    assertIncludes(json.errors, [{ in: 'body', pointer: '/a~1b~0c', code: 'unknown_field' }], 'errors')
  }),

  scenario('projects.create', 422, 'reports errors at the enclosing field if a pointer would be too long', async ({ http, uniqueName }) => {
    const long = 'k'.repeat(256)
    for (const [fields, errors] of [
      [{ ['k'.repeat(255)]: 1 }, [{ pointer: `/${'k'.repeat(255)}`, code: 'unknown_field' }]],
      [{ [long]: 1 }, [{ pointer: '', code: 'unknown_field' }]],
      [{ a: { [long]: ['\u0000', '\u0000'] } }, [{ pointer: '/a', code: 'invalid_text' }]],
    ] as const) {
      const { json } = await http.expect('projects.create', 422, { json: { name: uniqueName(), ...fields } }, 'validation_failed')
      assertIncludes(json.errors, errors, 'errors')
    }
  }),

  scenario('projects.list', 400, 'rejects a valid cursor with extra characters at its start or end', async (context) => {
    await Promise.all([context.createProject(), context.createProject()])
    const { next_cursor } = await context.client.projects.list({ limit: 1 })
    for (const cursor of [`${next_cursor}=`, `${next_cursor} `, ` ${next_cursor}`, `${next_cursor}A`])
      await context.http.expect('projects.list', 400, { query: { cursor } }, 'invalid_cursor')
  }),

  scenario('flows.create', 422, 'rejects 33 placeholders in a template', async (context) => {
    const project = await context.createProject()
    const json = { name: 'a', ...context.receiver, message_template: '{{subject}}'.repeat(33) }
    const response = await context.http.expect('flows.create', 422, { params: { project_id: project.id }, json }, 'validation_failed')
    assertIncludes(response.json.errors, [{ in: 'body', pointer: '/message_template', code: 'invalid_value' }], 'errors')
  }),

  scenario('integrations.put', 422, 'rejects the removal of an unknown secret', async (context) => {
    const project = await context.createProject()
    const params = { project_id: project.id, source_type: 'smtp' }
    const json = { settings: { host: 'smtp.example.com', from: 'conformance@example.com' }, secrets: { pasword: null } }
    const response = await context.http.expect('integrations.put', 422, { params, json }, 'validation_failed')
    assertIncludes(response.json.errors, [{ in: 'body', pointer: '/secrets/pasword', code: 'unknown_field' }], 'errors')
  }),

  scenario('integrations.put', 422, 'rejects a setting that is too short or too long', async (context) => {
    const project = await context.createProject()
    const params = { project_id: project.id, source_type: 'smtp' }
    const settings = { host: 'smtp.example.com', from: 'conformance@example.com' }
    for (const [user, code] of [
      ['', 'too_short'],
      ['x'.repeat(321), 'too_long'],
    ] as const) {
      const json = { settings: { ...settings, user } }
      const response = await context.http.expect('integrations.put', 422, { params, json }, 'validation_failed')
      assertIncludes(response.json.errors, [{ in: 'body', pointer: '/settings/user', code }], `the errors for ${user.length} characters`)
    }
  }),

  scenario('notifications.preview', 200, 'uses a target with a provider prefix only for flows of that provider', async (context) => {
    const project = await context.createProject()
    const fields = { target: 'default@example.com', override_target: true }
    const smtp = await context.createFlow(project, { ...fields, source_type: 'smtp' })
    const mailgun = await context.createFlow(project, { ...fields, source_type: 'mailgun' })
    const body = { project_id: project.id, subject: 'S', message: 'M', target: 'smtp:one@example.com;two@example.com' }
    const { flows } = await context.client.notifications.preview(body)
    assertIncludes(
      flows,
      [
        { flow_id: smtp.id, targets: ['one@example.com', 'two@example.com'] },
        { flow_id: mailgun.id, targets: ['two@example.com'] },
      ],
      'flows',
    )
  }),

  scenario('notifications.preview', 200, 'adds a text alternative to an HTML email', async (context) => {
    const project = await context.createProject()
    await context.createFlow(project, {
      source_type: 'smtp',
      target: 'ops@example.com',
      message_template: '<p>Hello {{subject}},</p><p>{{message}}</p>',
      message_template_type: 'text/html',
    })
    const { flows } = await context.client.notifications.preview({ project_id: project.id, subject: 'A & B', message: 'one < two' })
    assertEqual(flows[0]?.content?.text, 'Hello A & B,\n\none < two', 'the text alternative')
  }),

  scenario('notifications.list', 200, "pages through a flow's notifications", async (context) => {
    const { project, flow, notification, body } = await createScheduledNotification(context)
    const other = await context.createFlow(project)
    const sent = [notification.id]
    for (const flow_id of [other.id, flow.id, other.id, flow.id]) {
      const { id } = await context.client.notifications.send({ ...body, flow_id })
      if (flow_id === flow.id) sent.unshift(id)
    }
    const pages = await collectIds(context.client.notifications.list({ flow_id: flow.id, limit: 1 }))
    assertEqual(
      pages,
      sent.map((id) => [id]),
      'the ids on each page',
    )
  }),

  scenario('notifications.list', 200, 'requires all delivery filters to match the same delivery', async (context) => {
    const { project, body } = await createScheduledNotification(context)
    const mail = await context.createFlow(project, { source_type: 'smtp', target: 'ops@example.com' })
    const chat = await context.createFlow(project, { source_type: 'slack', target: 'C024BE91L' })
    // A message sent with a test key needs no provider credentials.
    const { key } = await context.createKey({ mode: 'test' })
    const { id } = (await context.http.expect('notifications.send', 202, { json: { ...body, reference: 'both' }, key })).json
    context.onCleanup(({ client }) => client.notifications.cancel(id))
    for (const [filters, expected] of [
      [{ flow_id: mail.id, source_type: 'smtp', target: 'ops@example.com' }, [id]],
      [{ flow_id: mail.id, source_type: 'slack' }, []],
      [{ flow_id: chat.id, target: 'ops@example.com' }, []],
      [{ source_type: 'slack', target: 'ops@example.com' }, []],
    ] as const) {
      const { data } = await context.client.notifications.list({ project_id: project.id, reference: 'both', ...filters })
      assertEqual(data.map(idOf), expected, `the ids found by ${JSON.stringify(filters)}`)
    }
  }),
]
