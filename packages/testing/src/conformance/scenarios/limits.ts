import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import type { ScenarioContext } from '../context.ts'
import { collectIds, idOf } from '../pages.ts'
import { farFutureMs } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const text = { subject: 'Conformance', message: 'This message must not be delivered.' }
const mail = { source_type: 'smtp', target: 'default@example.com', override_target: true }
const dayMs = 24 * 3_600_000
const marginMs = 10 * 60_000

const createTargets = (count: number): string => Array.from({ length: count }, (_, index) => `user-${index}@example.com`).join(';')

const withFlows = async (context: ScenarioContext, count: number) => {
  const project = await context.createProject()
  for (let made = 0; made < count; made += 1) await context.createFlow(project, mail)
  return project
}

/** Scenarios about limits. Most try a value within a limit and a value above it. */
export const limitScenarios: readonly Scenario[] = [
  scenario('notifications.preview', 422, 'rejects more than 1,000 deliveries', async (context) => {
    const full = await withFlows(context, 10)
    const { flows } = await context.client.notifications.preview({ project_id: full.id, ...text, target: createTargets(100) })
    assertEqual(
      flows.map(({ targets }) => targets.length),
      Array<number>(10).fill(100),
      'number of targets for each flow',
    )
    const more = await withFlows(context, 11)
    await context.expectFailure(
      context.client.notifications.preview({ project_id: more.id, ...text, target: createTargets(91) }),
      422,
      'too_many_deliveries',
    )
  }),

  scenario('notifications.list', 200, 'limits a page to 2,000 embedded deliveries and attempts in total', async (context) => {
    const project = await withFlows(context, 1)
    const project_id = project.id
    const send_at = await context.serverTime(farFutureMs)
    const sent: string[] = []
    for (let count = 0; count < 21; count += 1)
      sent.unshift((await context.client.notifications.send({ project_id, ...text, target: createTargets(100), send_at })).id)
    const listPages = () => collectIds(context.client.notifications.list({ project_id, limit: 1000 }))
    assertEqual(await listPages(), [sent.slice(0, 20), sent.slice(20)], 'the ids on each page')
    // A page contains at most 2,000 deliveries and attempts in total. The next notification has 51 deliveries and 51 attempts, so
    // 1,898 remain. A scheduled notification has 100 deliveries and no attempts, so 18 of them fit on the same page.
    const target = Array.from({ length: 51 }, (_, index) => `ok+${index}@flowpost.test`).join(';')
    const { key } = await context.createKey({ mode: 'test' })
    const { id } = (await context.http.expect('notifications.send', 202, { json: { project_id, ...text, target }, key })).json
    assertIncludes(await context.client.notifications.get(id, { wait: 30 }), { status: 'sent' }, 'the notification with attempts')
    const expected = [[id, ...sent.slice(0, 18)], sent.slice(18)]
    assertEqual(await listPages(), expected, 'the ids on each page, including the notification with attempts')
  }),

  scenario('flows.list', 200, 'limits a page to 1 MiB', async (context) => {
    const project = await context.createProject()
    const created: string[] = []
    // Each flow takes up 400 kB, so two fit on a page of 1 MiB.
    for (let count = 0; count < 5; count += 1)
      created.push((await context.createFlow(project, { message_template: '😀'.repeat(100_000) })).id)
    const pages = await collectIds(context.client.flows.list(project.id, { limit: 1000 }))
    assertEqual(pages, [created.slice(0, 2), created.slice(2, 4), created.slice(4)], 'the ids on each page')
  }),

  ...(['flows.create', 'flows.update', 'flows.patch'] as const).map((operation) =>
    scenario(operation, 422, 'rejects more than 32 placeholders in a template', async (context) => {
      const project = await context.createProject()
      const { id } = await context.createFlow(project)
      const template = (count: number) => ({ message_template: '{{subject}}{{message}}'.repeat(count / 2) })
      const fields = {
        name: context.uniqueName(),
        ...context.receiver,
        active: true,
        override_target: false,
        message_template_type: 'text/plain',
      }
      const request = (count: number, status: number) => {
        const json = operation === 'flows.patch' ? template(count) : { ...fields, ...template(count) }
        const params = operation === 'flows.create' ? { project_id: project.id } : { project_id: project.id, flow_id: id }
        return context.http.expect(operation, status, { params, json })
      }
      await request(32, operation === 'flows.create' ? 201 : 200)
      const response = await request(34, 422)
      assertIncludes(response.json.errors, [{ in: 'body', pointer: '/message_template', code: 'invalid_value' }], 'errors')
    }),
  ),

  scenario('notifications.send', 422, 'rejects more than 1 MiB of rendered content', async (context) => {
    const project = await context.createProject()
    await context.createFlow(project, { ...mail, message_template: '{{message}}-'.repeat(8) })
    const body = { project_id: project.id, subject: 'Conformance', send_at: await context.serverTime(farFutureMs) }
    // The content is the subject (11 bytes) and eight copies of the message, each followed by a hyphen. Each character of the
    // message takes up 3 bytes, so 43,689 characters render to 1,048,555 bytes, and 43,690 to 1,048,579. The limit is 1,048,576.
    const { id } = await context.client.notifications.send({ ...body, message: '語'.repeat(43_689) })
    context.onCleanup(({ client }) => client.notifications.cancel(id))
    const error = await context.expectFailure(
      context.client.notifications.send({ ...body, message: '語'.repeat(43_690) }),
      422,
      'content_too_long',
    )
    assertIncludes(error.errors, [{ in: 'body', pointer: '/message', code: 'content_too_long' }], 'errors')
  }),

  scenario('notifications.send', 422, "rejects a message over its provider's limit, and names the flow", async (context) => {
    const project = await context.createProject()
    await context.client.integrations.put(project.id, 'slack', { settings: {}, secrets: { token: 'xoxb-conformance' } })
    // Every deployment supports Slack, whose limit is 40,000 characters of text.
    const flow = await context.createFlow(project, { source_type: 'slack', target: 'C024BE91L', message_template: '{{message}}' })
    const body = { project_id: project.id, subject: 'Conformance', send_at: await context.serverTime(farFutureMs) }
    const { id } = await context.client.notifications.send({ ...body, message: '😀'.repeat(40_000) })
    context.onCleanup(({ client }) => client.notifications.cancel(id))
    const tooLong = context.client.notifications.send({ ...body, message: 'x'.repeat(40_001) })
    const error = await context.expectFailure(tooLong, 422, 'content_too_long')
    assertIncludes(error.errors, [{ in: 'body', pointer: '/message', code: 'content_too_long' }], 'errors')
    assert(error.errors[0]?.message.includes(flow.id), 'the error must name the flow', error.errors)
  }),

  scenario('notifications.preview', 422, 'rejects a subject over 998 characters and a message over 100,000', async (context) => {
    const project = await context.createProject()
    await context.createFlow(project)
    const body = { project_id: project.id, ...text }
    // The limits count code points, not bytes or UTF-16 code units.
    await context.client.notifications.preview({ ...body, subject: '😀'.repeat(998) })
    await context.client.notifications.preview({ ...body, message: '😀'.repeat(100_000) })
    for (const [field, count] of [
      ['subject', 999],
      ['message', 100_001],
    ] as const) {
      const json = { ...body, [field]: 'x'.repeat(count) }
      const response = await context.http.expect('notifications.preview', 422, { json }, 'validation_failed')
      assertIncludes(response.json.errors, [{ in: 'body', pointer: `/${field}`, code: 'too_long' }], 'errors')
    }
  }),

  scenario('notifications.preview', 422, 'rejects a message scheduled more than 30 days ahead', async (context) => {
    const project = await context.createProject()
    await context.createFlow(project)
    const now = Date.parse(project.created_at)
    const at = (ms: number) => ({ project_id: project.id, ...text, send_at: new Date(now + ms).toISOString() })
    await context.client.notifications.preview(at(30 * dayMs - marginMs))
    await context.expectFailure(context.client.notifications.preview(at(30 * dayMs + marginMs)), 422, 'validation_failed')
  }),

  ...(['send', 'preview'] as const).map((name) =>
    scenario(`notifications.${name}`, 422, 'rejects more than 32 MiB of messages across all deliveries', async (context) => {
      const project = await context.createProject()
      await context.createFlow(project, { ...mail, message_template: '{{message}} '.repeat(6) })
      const fields = { project_id: project.id, subject: 'Conformance', message: 'x'.repeat(100_000) }
      const body = { ...fields, send_at: await context.serverTime(dayMs), target: createTargets(60) }
      const error = await context.expectFailure(context.client.notifications[name](body), 422, 'content_too_long')
      assertEqual(error.errors, [], 'the errors for individual flows')
      await context.client.notifications.preview({ ...body, target: createTargets(50) })
    }),
  ),

  scenario('flows.create', 422, 'rejects a name over 255 characters and a template over 100,000', async (context) => {
    const project = await context.createProject()
    const flow = await context.createFlow(project, { name: '😀'.repeat(255), message_template: `{{message}}${'😀'.repeat(99_989)}` })
    assertEqual([...flow.name].length, 255, 'number of characters in the name')
    const params = { project_id: project.id }
    for (const [field, count] of [
      ['name', 256],
      ['message_template', 100_001],
    ] as const) {
      const json = { name: 'a', ...context.receiver, [field]: 'x'.repeat(count) }
      const response = await context.http.expect('flows.create', 422, { params, json }, 'validation_failed')
      assertIncludes(response.json.errors, [{ in: 'body', pointer: `/${field}`, code: 'too_long' }], 'errors')
    }
  }),

  scenario('notifications.deliveries', 200, 'returns 100 deliveries per page by default, and more on request', async (context) => {
    const project = await withFlows(context, 2)
    const send_at = await context.serverTime(dayMs)
    const { id } = await context.client.notifications.send({ project_id: project.id, ...text, target: createTargets(51), send_at })
    context.onCleanup(({ client }) => client.notifications.cancel(id))
    const lengths = []
    for (const query of [{}, { limit: 101 }, { limit: 1000 }])
      lengths.push((await context.client.notifications.deliveries(id, query)).data.length)
    assertEqual(lengths, [100, 101, 102], 'number of deliveries per page')
    const oldestFirst = (await collectIds(context.client.notifications.deliveries(id, { limit: 1000 }))).flat().reverse()
    const { deliveries } = await context.client.notifications.get(id)
    assertEqual(deliveries.map(idOf), oldestFirst.slice(0, 100), 'the ids of the first 100 deliveries, which are embedded')
  }),
]
