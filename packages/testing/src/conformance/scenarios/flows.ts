import { equal, holds, includes } from '../failure.ts'
import { type Scenario, scenario } from '../scenario.ts'

const defaults = { active: true, override_target: false, message_template: '{{message}}', message_template_type: 'text/plain' }

/** What flows do. */
export const flowScenarios: readonly Scenario[] = [
  scenario('flows.create', 201, 'makes a flow of the three required fields', async (context) => {
    const project = await context.project()
    const name = context.uniqueName()
    const made = await context.client.flows.create(project.id, { name, ...context.receiver }).withResponse()
    includes(made.data, { ...defaults, ...context.receiver, name, project_id: project.id, warnings: [] }, 'flow')
    includes(made.data.health, { status: 'unknown', code: null, detail: null, since: null, checked_at: null }, 'health')
    equal(made.response.headers.get('location'), `/v1/settings/projects/${project.id}/flows/${made.data.id}`, 'Location')
    equal(await context.client.flows.get(project.id, made.data.id), made.data, 'the flow, read again')
  }),

  scenario('flows.create', 201, 'warns of a template that looks wrong, and takes it', async (context) => {
    const project = await context.project()
    const typo = await context.flow(project, { message_template: 'Hello {{messge}}' })
    equal(typo.warnings.map(({ code }) => code).sort(), ['no_placeholder', 'unknown_placeholder'], 'warnings')
    const html = await context.flow(project, { message_template: '{{message}}', message_template_type: 'text/html' })
    equal(
      html.warnings.map(({ code }) => code),
      ['unescaped_message'],
      'warnings',
    )
    const chat = await context.flow(project, {
      source_type: 'slack',
      target: 'C024BE91L',
      message_template: '<b>{{message}}</b>',
      message_template_type: 'text/html',
    })
    equal(
      chat.warnings.map(({ code }) => code),
      ['html_on_chat'],
      'warnings',
    )
    const bare = await context.flow(project, { source_type: 'slack', target: 'C024BE91L' })
    equal(
      bare.warnings.map(({ code }) => code),
      ['unescaped_message'],
      'warnings',
    )
  }),

  scenario('flows.create', 422, 'tells the faults of the schema and of the provider at once', async (context) => {
    const project = await context.project()
    const json = { name: '', source_type: 'smtp', target: 'not an address', active: 'yes', colour: 'red' }
    const answer = await context.http.expect('flows.create', 422, { params: { project_id: project.id }, json }, 'validation_failed')
    const faults = answer.json.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
    equal(faults.sort(), ['/active invalid_type', '/colour unknown_field', '/name too_short', '/target invalid_target'], 'errors')
    const missing = await context.http.expect('flows.create', 422, { params: { project_id: project.id }, json: {} })
    const pointers = missing.json.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
    equal(pointers.sort(), ['/name required', '/source_type required', '/target required'], 'errors')
  }),

  scenario('flows.create', 422, 'tells one fault of a field, though schema and provider both have one', async (context) => {
    const project = await context.project()
    const json = { name: 'a', source_type: 'smtp', target: 'x'.repeat(1001) }
    const answer = await context.http.expect('flows.create', 422, { params: { project_id: project.id }, json }, 'validation_failed')
    const faults = answer.json.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
    // The provider's alone is not told as long as the schema refuses the field.
    equal(faults, ['/target too_long'], 'errors')
  }),

  scenario('flows.create', 422, 'refuses a provider that is not served', async (context) => {
    const project = await context.project()
    const json = { name: 'a', source_type: 'pigeon', target: 'coop 7' }
    const answer = await context.http.expect('flows.create', 422, { params: { project_id: project.id }, json })
    includes(answer.json.errors, [{ in: 'body', pointer: '/source_type', code: 'invalid_value' }], 'errors')
  }),

  scenario('flows.list', 200, 'lists the flows of a project page by page, oldest first', async (context) => {
    const project = await context.project()
    const made = [await context.flow(project), await context.flow(project), await context.flow(project)]
    const listed: string[] = []
    for await (const { id } of context.client.flows.list(project.id, { limit: 1 })) listed.push(id)
    equal(
      listed,
      made.map(({ id }) => id),
      'ids',
    )
  }),

  scenario('flows.list', 200, 'has no further page after one that the last flow fills', async (context) => {
    const project = await context.project()
    const made = [await context.flow(project), await context.flow(project)]
    const first = await context.client.flows.list(project.id, { limit: 1 })
    const last = await context.client.flows.list(project.id, { limit: 1, cursor: first.next_cursor ?? '' })
    includes(last, { data: [{ id: made[1]?.id }], next_cursor: null }, 'the second page of one flow each')
    includes(await context.client.flows.list(project.id, { limit: 2 }), { next_cursor: null }, 'a page of both flows')
  }),

  scenario('flows.list', 400, 'refuses the cursor of another list', async (context) => {
    const [one, other] = [await context.project(), await context.project()]
    await context.flow(one)
    await context.flow(one)
    const { next_cursor } = await context.client.flows.list(one.id, { limit: 1 })
    holds(next_cursor, 'a list with more to come has a next_cursor')
    await context.fails(context.client.flows.list(other.id, { cursor: next_cursor ?? '' }), 400, 'invalid_cursor')
    await context.fails(context.client.projects.list({ cursor: next_cursor ?? '' }), 400, 'invalid_cursor')
    await context.fails(context.client.integrations.list(one.id, { cursor: next_cursor ?? '' }), 400, 'invalid_cursor')
  }),

  scenario('flows.list', 400, 'refuses a cursor that was changed', async (context) => {
    const project = await context.project()
    await context.flow(project)
    await context.flow(project)
    const { next_cursor } = await context.client.flows.list(project.id, { limit: 1 })
    const cursor = next_cursor ?? ''
    for (const at of [0, Math.floor(cursor.length / 2), cursor.length - 2]) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1)
      await context.fails(context.client.flows.list(project.id, { cursor: changed }), 400, 'invalid_cursor')
    }
  }),

  scenario('flows.get', 200, 'reads a flow with its ETag', async (context) => {
    const project = await context.project()
    const flow = await context.flow(project)
    const read = await context.client.flows.get(project.id, flow.id).withResponse()
    equal(read.data, flow, 'flow')
    holds(read.response.headers.get('etag'), 'a flow has an ETag')
  }),

  scenario('flows.get', 404, 'answers a flow of another project as one that is unknown', async (context) => {
    const [one, other] = [await context.project(), await context.project()]
    const flow = await context.flow(one)
    await context.fails(context.client.flows.get(other.id, flow.id), 404, 'not_found')
  }),

  scenario('flows.update', 200, 'replaces all seven fields', async (context) => {
    const project = await context.project()
    const flow = await context.flow(project)
    const changed = await context.client.flows.update(project.id, flow.id, (current) => ({
      ...current,
      active: false,
      override_target: true,
    }))
    includes(changed, { active: false, override_target: true, name: flow.name, created_at: flow.created_at }, 'flow')
    equal(await context.client.flows.get(project.id, flow.id), changed, 'the flow, read again')
  }),

  scenario('flows.update', 422, 'wants all seven fields, so that none is reset by being forgotten', async (context) => {
    const project = await context.project()
    const flow = await context.flow(project)
    const params = { project_id: project.id, flow_id: flow.id }
    const answer = await context.http.expect('flows.update', 422, { params, json: { name: 'a', ...context.receiver } })
    const pointers = answer.json.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
    equal(
      pointers.sort(),
      ['/active', '/message_template', '/message_template_type', '/override_target'].map((each) => `${each} required`),
      'errors',
    )
  }),

  scenario('flows.patch', 200, 'changes the given fields and leaves the others', async (context) => {
    const project = await context.project()
    const flow = await context.flow(project)
    const changed = await context.client.flows.patch(project.id, flow.id, { active: false })
    includes(changed, { ...flow, active: false, updated_at: changed.updated_at }, 'flow')
    const same = await context.client.flows.patch(project.id, flow.id, {})
    includes(same, { name: flow.name, active: false }, 'flow')
    equal(await context.client.flows.get(project.id, flow.id), same, 'the flow, read again')
  }),

  scenario('flows.patch', 422, 'checks half of provider and target with the other half that is stored', async (context) => {
    const project = await context.project()
    const flow = await context.flow(project, { source_type: 'smtp', target: 'ops@example.com' })
    const params = { project_id: project.id, flow_id: flow.id }
    for (const json of [{ target: 'C024BE91L' }, { source_type: 'slack' }]) {
      const answer = await context.http.expect('flows.patch', 422, { params, json }, 'validation_failed')
      includes(answer.json.errors, [{ in: 'body', pointer: '/target', code: 'invalid_target' }], `errors for ${JSON.stringify(json)}`)
    }
    const both = await context.http.expect('flows.patch', 422, { params, json: { target: 'C024BE91L', name: '' } })
    const faults = both.json.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
    equal(faults.sort(), ['/name too_short', '/target invalid_target'], 'errors of schema and provider')
    await context.client.flows.patch(project.id, flow.id, { source_type: 'slack', target: 'C024BE91L' })
  }),

  scenario('flows.update', 412, 'lets one of two writers through that have read the same', async (context) => {
    const project = await context.project()
    const flow = await context.flow(project)
    const { response } = await context.client.flows.get(project.id, flow.id).withResponse()
    const params = { project_id: project.id, flow_id: flow.id }
    const { name: _, source_type, target, active, override_target, message_template, message_template_type } = flow
    const fields = { source_type, target, active, override_target, message_template, message_template_type }
    const write = (name: string) =>
      context.http.call('flows.update', { params, json: { ...fields, name }, headers: { 'if-match': response.headers.get('etag') ?? '' } })
    const answers = await Promise.all(['one', 'two', 'three', 'four'].map(write))
    equal(answers.map(({ status }) => status).sort(), [200, 412, 412, 412], 'statuses')
    const written = answers.find(({ status }) => status === 200)
    equal(await context.client.flows.get(project.id, flow.id), written?.json, 'the flow, read again')
  }),

  scenario('flows.delete', 204, 'deletes a flow', async (context) => {
    const project = await context.project()
    const flow = await context.flow(project)
    await context.client.flows.delete(project.id, flow.id)
    await context.fails(context.client.flows.get(project.id, flow.id), 404, 'not_found')
    await context.fails(context.client.flows.delete(project.id, flow.id), 404, 'not_found')
  }),

  scenario(
    'flows.check',
    200,
    'tells what is wrong and notes it as the health of the flow',
    async (context) => {
      const { source_type, target } = context.unconfigured()
      const project = await context.project()
      const flow = await context.flow(project, { source_type, target })
      const before = await context.client.flows.get(project.id, flow.id).withResponse()
      const check = await context.client.flows.check(project.id, flow.id)
      includes(check, { ok: false, checks: [{ ok: false, code: 'integration_missing' }] }, 'check')
      const after = await context.client.flows.get(project.id, flow.id).withResponse()
      includes(after.data.health, { status: 'unhealthy', code: 'integration_missing' }, 'health')
      holds(after.data.health.checked_at, 'the health says when it was checked')
      const etags = [before, after].map(({ response }) => response.headers.get('etag'))
      equal(etags[1], etags[0], 'the ETag, which does not cover the health')
    },
    ['unconfigured'],
  ),

  scenario(
    'flows.check',
    200,
    'is forgotten when the flow sends elsewhere, or with another credential',
    async (context) => {
      const { source_type, target, settings, secrets } = context.unconfigured()
      const project = await context.project()
      const flow = await context.flow(project, { source_type, target })
      const healthAfter = async (change: PromiseLike<unknown>) => {
        await change
        return (await context.client.flows.get(project.id, flow.id)).health.status
      }
      // Without credentials a check finds fault, and asks nobody.
      await context.client.flows.check(project.id, flow.id)
      equal(await healthAfter(context.client.flows.patch(project.id, flow.id, { name: 'a' })), 'unhealthy', 'after another name')
      const put = context.client.integrations.put(project.id, source_type, { settings, secrets })
      equal(await healthAfter(put), 'unknown', 'after new credentials')
      await context.client.integrations.delete(project.id, source_type)
      await context.client.flows.check(project.id, flow.id)
      equal(await healthAfter(context.client.flows.patch(project.id, flow.id, context.receiver)), 'unknown', 'after another target')
    },
    ['unconfigured'],
  ),
]
