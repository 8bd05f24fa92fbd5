import type { ScenarioContext } from '../context.ts'
import { equal, holds, includes } from '../failure.ts'
import { farAheadMs } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const text = { subject: 'Conformance', message: 'Nobody should get this.' }
const mail = { source_type: 'smtp', target: 'default@example.com', override_target: true }
const dayMs = 24 * 3_600_000
const marginMs = 10 * 60_000

const entries = (count: number): string => Array.from({ length: count }, (_, index) => `user-${index}@example.com`).join(';')

const withFlows = async (context: ScenarioContext, count: number) => {
  const project = await context.project()
  for (let made = 0; made < count; made += 1) await context.flow(project, mail)
  return project
}

/** Where each limit is: the last that is taken, and the first that is not. */
export const limitScenarios: readonly Scenario[] = [
  scenario('notifications.preview', 422, 'allows 1,000 deliveries and no more', async (context) => {
    const most = await withFlows(context, 10)
    const { flows } = await context.client.notifications.preview({ project_id: most.id, ...text, target: entries(100) })
    equal(
      flows.map(({ targets }) => targets.length),
      Array<number>(10).fill(100),
      'targets of each flow',
    )
    const more = await withFlows(context, 11)
    await context.fails(
      context.client.notifications.preview({ project_id: more.id, ...text, target: entries(91) }),
      422,
      'too_many_deliveries',
    )
  }),

  scenario('notifications.list', 200, 'ends a page before it embeds more than 2,000 deliveries, and reads on', async (context) => {
    const project = await withFlows(context, 1)
    const send_at = await context.serverTime(farAheadMs)
    const sent: string[] = []
    for (let count = 0; count < 21; count += 1)
      sent.unshift((await context.client.notifications.send({ project_id: project.id, ...text, target: entries(100), send_at })).id)
    const pages: string[][] = []
    for await (const { data } of context.client.notifications.list({ project_id: project.id, limit: 1000 }).byPage())
      pages.push(data.map(({ id }) => id))
    equal(pages, [sent.slice(0, 20), sent.slice(20)], 'the pages')
  }),

  scenario('flows.list', 200, 'ends a page before it has more than 1 MiB, and reads on', async (context) => {
    const project = await context.project()
    const made: string[] = []
    // 400 kB each, so that two fit a page.
    for (let count = 0; count < 5; count += 1) made.push((await context.flow(project, { message_template: '😀'.repeat(100_000) })).id)
    const pages: string[][] = []
    for await (const { data } of context.client.flows.list(project.id, { limit: 1000 }).byPage()) pages.push(data.map(({ id }) => id))
    equal(pages, [made.slice(0, 2), made.slice(2, 4), made.slice(4)], 'the pages')
  }),

  ...(['flows.create', 'flows.update', 'flows.patch'] as const).map((operation) =>
    scenario(operation, 422, 'allows 32 placeholders in a template', async (context) => {
      const project = await context.project()
      const { id } = await context.flow(project)
      const template = (count: number) => ({ message_template: '{{subject}}{{message}}'.repeat(count / 2) })
      const fields = {
        name: context.uniqueName(),
        ...context.receiver,
        active: true,
        override_target: false,
        message_template_type: 'text/plain',
      }
      const ask = (count: number, status: number) => {
        const json = operation === 'flows.patch' ? template(count) : { ...fields, ...template(count) }
        const params = operation === 'flows.create' ? { project_id: project.id } : { project_id: project.id, flow_id: id }
        return context.http.expect(operation, status, { params, json })
      }
      await ask(32, operation === 'flows.create' ? 201 : 200)
      const answer = await ask(34, 422)
      includes(answer.json.errors, [{ in: 'body', pointer: '/message_template', code: 'invalid_value' }], 'errors')
    }),
  ),

  scenario('notifications.send', 422, 'allows a request to render 1 MiB', async (context) => {
    const project = await context.project()
    await context.flow(project, { ...mail, message_template: '{{message}}-'.repeat(8) })
    const body = { project_id: project.id, subject: 'Conformance', send_at: await context.serverTime(farAheadMs) }
    // Eight times the message with a hyphen, and the 11 bytes of the subject.
    const { id } = await context.client.notifications.send({ ...body, message: '語'.repeat(43_689) })
    context.cleanUp(() => context.client.notifications.cancel(id))
    const error = await context.fails(context.client.notifications.send({ ...body, message: '語'.repeat(43_690) }), 422, 'content_too_long')
    includes(error.errors, [{ in: 'body', pointer: '/message', code: 'content_too_long' }], 'errors')
  }),

  scenario('notifications.send', 422, 'refuses a message over the limit of its provider, and names the flow', async (context) => {
    const project = await context.project()
    await context.client.integrations.put(project.id, 'slack', { settings: {}, secrets: { token: 'xoxb-conformance' } })
    // Every deployment serves Slack, which takes 40,000 characters of text.
    const flow = await context.flow(project, { source_type: 'slack', target: 'C024BE91L', message_template: '{{message}}' })
    const body = { project_id: project.id, subject: 'Conformance', send_at: await context.serverTime(farAheadMs) }
    const { id } = await context.client.notifications.send({ ...body, message: '😀'.repeat(40_000) })
    context.cleanUp(() => context.client.notifications.cancel(id))
    const error = await context.fails(context.client.notifications.send({ ...body, message: 'x'.repeat(40_001) }), 422, 'content_too_long')
    includes(error.errors, [{ in: 'body', pointer: '/message', code: 'content_too_long' }], 'errors')
    holds(error.errors[0]?.message.includes(flow.id), 'the error names the flow', error.errors)
  }),

  scenario('notifications.preview', 422, 'allows 998 characters of subject, and 100,000 of message', async (context) => {
    const project = await context.project()
    await context.flow(project)
    const body = { project_id: project.id, ...text }
    // A character is a code point, however many bytes or code units it has.
    await context.client.notifications.preview({ ...body, subject: '😀'.repeat(998) })
    await context.client.notifications.preview({ ...body, message: '😀'.repeat(100_000) })
    for (const [field, count] of [
      ['subject', 999],
      ['message', 100_001],
    ] as const) {
      const json = { ...body, [field]: 'x'.repeat(count) }
      const answer = await context.http.expect('notifications.preview', 422, { json }, 'validation_failed')
      includes(answer.json.errors, [{ in: 'body', pointer: `/${field}`, code: 'too_long' }], 'errors')
    }
  }),

  scenario('notifications.preview', 422, 'allows a message to be put off for 30 days', async (context) => {
    const project = await context.project()
    await context.flow(project)
    const now = Date.parse(project.created_at)
    const at = (ms: number) => ({ project_id: project.id, ...text, send_at: new Date(now + ms).toISOString() })
    await context.client.notifications.preview(at(30 * dayMs - marginMs))
    await context.fails(context.client.notifications.preview(at(30 * dayMs + marginMs)), 422, 'validation_failed')
  }),

  scenario('notifications.send', 422, 'allows 32 MiB for all deliveries together', async (context) => {
    const project = await context.project()
    await context.flow(project, { ...mail, message_template: '{{message}} '.repeat(6) })
    const body = { project_id: project.id, subject: 'Conformance', message: 'x'.repeat(100_000) }
    const error = await context.fails(
      context.client.notifications.send({ ...body, send_at: await context.serverTime(dayMs), target: entries(60) }),
      422,
      'content_too_long',
    )
    equal(error.errors, [], 'errors of single flows')
  }),

  scenario('flows.create', 422, 'allows 255 characters of name, and 100,000 of template', async (context) => {
    const project = await context.project()
    const flow = await context.flow(project, { name: '😀'.repeat(255), message_template: `{{message}}${'😀'.repeat(99_989)}` })
    equal([...flow.name].length, 255, 'characters of the name')
    const params = { project_id: project.id }
    for (const [field, count] of [
      ['name', 256],
      ['message_template', 100_001],
    ] as const) {
      const json = { name: 'a', ...context.receiver, [field]: 'x'.repeat(count) }
      const answer = await context.http.expect('flows.create', 422, { params, json }, 'validation_failed')
      includes(answer.json.errors, [{ in: 'body', pointer: `/${field}`, code: 'too_long' }], 'errors')
    }
  }),

  scenario('notifications.deliveries', 200, 'gives 100 to a page unless told otherwise, and 1,000 at most', async (context) => {
    const project = await withFlows(context, 2)
    const send_at = await context.serverTime(dayMs)
    const { id } = await context.client.notifications.send({ project_id: project.id, ...text, target: entries(51), send_at })
    context.cleanUp(() => context.client.notifications.cancel(id))
    const lengths = []
    for (const query of [{}, { limit: 101 }, { limit: 1000 }])
      lengths.push((await context.client.notifications.deliveries(id, query)).data.length)
    equal(lengths, [100, 101, 102], 'how many deliveries a page has')
  }),
]
