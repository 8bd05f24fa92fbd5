import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import type { PlainResponse } from '../http.ts'
import { collectIds } from '../pages.ts'
import { type Scenario, scenario } from '../scenario.ts'

const defaults = { active: true, override_target: false, message_template: '{{message}}', message_template_type: 'text/plain' }

const summarizeIssues = ({ json }: PlainResponse): string[] =>
  json.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)

/** Scenarios about flows. */
export const flowScenarios: readonly Scenario[] = [
  scenario('flows.create', 201, 'creates a flow from the three required fields', async (context) => {
    const project = await context.createProject()
    const name = context.uniqueName()
    const created = await context.client.flows.create(project.id, { name, ...context.receiver }).withResponse()
    assertIncludes(created.data, { ...defaults, ...context.receiver, name, project_id: project.id, warnings: [] }, 'flow')
    assertIncludes(created.data.health, { status: 'unknown', code: null, detail: null, since: null, checked_at: null }, 'health')
    assertEqual(
      created.response.headers.get('location'),
      `/v1/settings/projects/${project.id}/flows/${created.data.id}`,
      'the Location header',
    )
    assertEqual(await context.client.flows.get(project.id, created.data.id), created.data, 'the flow, read again')
  }),

  scenario('flows.create', 201, 'accepts a name that another flow has', async (context) => {
    const project = await context.createProject()
    const { name } = await context.createFlow(project)
    assertIncludes(await context.createFlow(project, { name }), { name }, 'flow')
  }),

  scenario('flows.create', 201, 'accepts a suspicious template and returns warnings', async (context) => {
    const project = await context.createProject()
    const typo = await context.createFlow(project, { message_template: 'Hello {{messge}}' })
    assertEqual(
      typo.warnings.map(({ code }) => code).sort(),
      ['no_placeholder', 'unknown_placeholder'],
      'warnings for a misspelled placeholder',
    )
    const html = await context.createFlow(project, { message_template: '{{message}}', message_template_type: 'text/html' })
    assertEqual(
      html.warnings.map(({ code }) => code),
      ['unescaped_message'],
      'warnings for an HTML template',
    )
    const chat = await context.createFlow(project, {
      source_type: 'slack',
      target: 'C024BE91L',
      message_template: '<b>{{message}}</b>',
      message_template_type: 'text/html',
    })
    assertEqual(
      chat.warnings.map(({ code }) => code),
      ['html_on_chat'],
      'warnings for HTML in a chat flow',
    )
    const bare = await context.createFlow(project, { source_type: 'slack', target: 'C024BE91L' })
    assertEqual(
      bare.warnings.map(({ code }) => code),
      ['unescaped_message'],
      'warnings for a chat flow with the default template',
    )
  }),

  scenario('flows.create', 422, 'returns schema issues and provider issues together', async (context) => {
    const project = await context.createProject()
    const json = { name: '', source_type: 'smtp', target: 'not an address', active: 'yes', colour: 'red' }
    const response = await context.http.expect('flows.create', 422, { params: { project_id: project.id }, json }, 'validation_failed')
    const issues = summarizeIssues(response)
    assertEqual(issues.sort(), ['/active invalid_type', '/colour unknown_field', '/name too_short', '/target invalid_target'], 'errors')
    const missing = await context.http.expect('flows.create', 422, { params: { project_id: project.id }, json: {} })
    const pointers = summarizeIssues(missing)
    assertEqual(pointers.sort(), ['/name required', '/source_type required', '/target required'], 'errors')
  }),

  scenario('flows.create', 422, 'returns one issue for a field that both the schema and the provider reject', async (context) => {
    const project = await context.createProject()
    const json = { name: 'a', source_type: 'smtp', target: 'x'.repeat(1001) }
    const response = await context.http.expect('flows.create', 422, { params: { project_id: project.id }, json }, 'validation_failed')
    const issues = summarizeIssues(response)
    // The target is too long for the schema, and not an email address. The response contains only the schema's error.
    assertEqual(issues, ['/target too_long'], 'errors')
  }),

  scenario('flows.create', 422, 'rejects an unknown provider', async (context) => {
    const project = await context.createProject()
    const json = { name: 'a', source_type: 'pigeon', target: 'coop 7' }
    const response = await context.http.expect('flows.create', 422, { params: { project_id: project.id }, json })
    assertIncludes(response.json.errors, [{ in: 'body', pointer: '/source_type', code: 'invalid_value' }], 'errors')
  }),

  scenario('flows.list', 200, "pages through a project's flows, oldest first", async (context) => {
    const project = await context.createProject()
    const created = [await context.createFlow(project), await context.createFlow(project), await context.createFlow(project)]
    assertEqual(
      await collectIds(context.client.flows.list(project.id, { limit: 1 })),
      created.map(({ id }) => [id]),
      'the flow ids on each page',
    )
  }),

  scenario('flows.list', 200, 'returns null as next_cursor on a full last page', async (context) => {
    const project = await context.createProject()
    const created = [await context.createFlow(project), await context.createFlow(project)]
    const first = await context.client.flows.list(project.id, { limit: 1 })
    const last = await context.client.flows.list(project.id, { limit: 1, cursor: first.next_cursor ?? '' })
    assertIncludes(last, { data: [{ id: created[1]?.id }], next_cursor: null }, 'the second page with a limit of 1')
    assertIncludes(await context.client.flows.list(project.id, { limit: 2 }), { next_cursor: null }, 'a page with both flows')
  }),

  scenario('flows.list', 400, "rejects another list's cursor", async (context) => {
    const [one, other] = [await context.createProject(), await context.createProject()]
    await context.createFlow(one)
    await context.createFlow(one)
    const { next_cursor } = await context.client.flows.list(one.id, { limit: 1 })
    assert(next_cursor, 'a list with more pages must have a next_cursor')
    await context.expectFailure(context.client.flows.list(other.id, { cursor: next_cursor ?? '' }), 400, 'invalid_cursor')
    await context.expectFailure(context.client.projects.list({ cursor: next_cursor ?? '' }), 400, 'invalid_cursor')
    await context.expectFailure(context.client.integrations.list(one.id, { cursor: next_cursor ?? '' }), 400, 'invalid_cursor')
  }),

  scenario('flows.list', 400, 'rejects a modified cursor', async (context) => {
    const project = await context.createProject()
    await context.createFlow(project)
    await context.createFlow(project)
    const { next_cursor } = await context.client.flows.list(project.id, { limit: 1 })
    const cursor = next_cursor ?? ''
    for (const at of [0, Math.floor(cursor.length / 2), cursor.length - 2]) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1)
      await context.expectFailure(context.client.flows.list(project.id, { cursor: changed }), 400, 'invalid_cursor')
    }
  }),

  scenario('flows.get', 200, 'returns a flow with its ETag', async (context) => {
    const project = await context.createProject()
    const flow = await context.createFlow(project)
    const read = await context.client.flows.get(project.id, flow.id).withResponse()
    assertEqual(read.data, flow, 'flow')
    assert(read.response.headers.get('etag'), 'the response must have an ETag')
  }),

  scenario('flows.get', 404, 'returns not_found for a flow in another project', async (context) => {
    const [one, other] = [await context.createProject(), await context.createProject()]
    const flow = await context.createFlow(one)
    await context.expectFailure(context.client.flows.get(other.id, flow.id), 404, 'not_found')
  }),

  scenario('flows.update', 200, 'replaces all seven fields', async (context) => {
    const project = await context.createProject()
    const flow = await context.createFlow(project)
    const changed = await context.client.flows.update(project.id, flow.id, (current) => ({
      ...current,
      active: false,
      override_target: true,
    }))
    assertIncludes(changed, { active: false, override_target: true, name: flow.name, created_at: flow.created_at }, 'flow')
    assertEqual(await context.client.flows.get(project.id, flow.id), changed, 'the flow, read again')
  }),

  scenario('flows.update', 422, 'requires all seven fields', async (context) => {
    const project = await context.createProject()
    const flow = await context.createFlow(project)
    const params = { project_id: project.id, flow_id: flow.id }
    const response = await context.http.expect('flows.update', 422, { params, json: { name: 'a', ...context.receiver } })
    const pointers = summarizeIssues(response)
    assertEqual(
      pointers.sort(),
      ['/active', '/message_template', '/message_template_type', '/override_target'].map((pointer) => `${pointer} required`),
      'errors',
    )
  }),

  scenario('flows.patch', 200, 'changes only the given fields', async (context) => {
    const project = await context.createProject()
    const flow = await context.createFlow(project)
    const changed = await context.client.flows.patch(project.id, flow.id, { active: false })
    assertIncludes(changed, { ...flow, active: false, updated_at: changed.updated_at }, 'flow')
    const same = await context.client.flows.patch(project.id, flow.id, {})
    assertIncludes(same, { name: flow.name, active: false }, 'the flow after an empty patch')
    assertEqual(await context.client.flows.get(project.id, flow.id), same, 'the flow, read again')
  }),

  scenario(
    'flows.patch',
    422,
    'validates a new provider against the stored target, and a new target against the stored provider',
    async (context) => {
      const project = await context.createProject()
      const flow = await context.createFlow(project, { source_type: 'smtp', target: 'ops@example.com' })
      const params = { project_id: project.id, flow_id: flow.id }
      for (const json of [{ target: 'C024BE91L' }, { source_type: 'slack' }]) {
        const response = await context.http.expect('flows.patch', 422, { params, json }, 'validation_failed')
        assertIncludes(
          response.json.errors,
          [{ in: 'body', pointer: '/target', code: 'invalid_target' }],
          `the errors for ${JSON.stringify(json)}`,
        )
      }
      const both = await context.http.expect('flows.patch', 422, { params, json: { target: 'C024BE91L', name: '' } })
      const issues = summarizeIssues(both)
      assertEqual(issues.sort(), ['/name too_short', '/target invalid_target'], 'the errors from the schema and the provider')
      await context.client.flows.patch(project.id, flow.id, { source_type: 'slack', target: 'C024BE91L' })
    },
  ),

  scenario('flows.update', 412, 'rejects all but one of several concurrent writes with the same entity tag', async (context) => {
    const project = await context.createProject()
    const flow = await context.createFlow(project)
    const { response } = await context.client.flows.get(project.id, flow.id).withResponse()
    const params = { project_id: project.id, flow_id: flow.id }
    const { name: _, source_type, target, active, override_target, message_template, message_template_type } = flow
    const fields = { source_type, target, active, override_target, message_template, message_template_type }
    const write = (name: string) =>
      context.http.call('flows.update', { params, json: { ...fields, name }, headers: { 'if-match': response.headers.get('etag') ?? '' } })
    const responses = await Promise.all(['one', 'two', 'three', 'four'].map(write))
    assertEqual(responses.map(({ status }) => status).sort(), [200, 412, 412, 412], 'the response statuses')
    const written = responses.find(({ status }) => status === 200)
    assertEqual(await context.client.flows.get(project.id, flow.id), written?.json, 'the flow, read again')
  }),

  scenario('flows.delete', 204, 'deletes a flow', async (context) => {
    const project = await context.createProject()
    const flow = await context.createFlow(project)
    await context.client.flows.delete(project.id, flow.id)
    await context.expectFailure(context.client.flows.get(project.id, flow.id), 404, 'not_found')
    await context.expectFailure(context.client.flows.delete(project.id, flow.id), 404, 'not_found')
  }),
]
