import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import { unreachableUrl } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { historyOf, summarize } from '../settings-history.ts'

const host = { host: 'smtp.example.com', from: 'conformance@example.com' }
const endpointFields = { url: unreachableUrl, events: ['delivery.failed' as const], active: true, description: '' }

/** Scenarios about the recorded changes to each kind of resource. */
export const settingsHistoryScenarios: readonly Scenario[] = [
  scenario('settings.history', 200, 'records the changes to a project, with the API key and request id of each change', async (context) => {
    const { id: keyId, key } = await context.createKey({})
    const name = context.uniqueName()
    const request_id = `conformance-${context.uniqueName().replaceAll(' ', '-')}`
    const created = await context.http.expect('projects.create', 201, { json: { name }, key, headers: { 'x-request-id': request_id } })
    const { id } = created.json
    context.onCleanup(({ client }) => client.projects.delete(id))
    const renamed = context.uniqueName()
    await context.client.projects.update(id, { name: renamed })
    const [creation, update, ...rest] = await historyOf(context, id)
    assertEqual(rest, [], 'entries after the update')
    const { id: entryId, changed_at, ...fields } = creation ?? { id: '', changed_at: '' }
    assertEqual(
      fields,
      {
        project_id: id,
        action: 'create',
        kind: 'project',
        resource_id: id,
        key: null,
        changed_by: keyId,
        request_id,
        fields: [],
        before: null,
        after: { key: null, name },
      },
      "the creation's entry",
    )
    assert(entryId !== update?.id, 'the entries must have different ids')
    assert(Math.abs(Date.parse(changed_at) - Date.parse(created.json.created_at)) < 10_000, 'changed_at must be the time of the change')
    const expected = { action: 'update', fields: ['/name'], before: { key: null, name }, after: { key: null, name: renamed } }
    assertIncludes(update, expected, "the update's entry")
    assert(
      update?.changed_by !== keyId && update?.request_id !== request_id,
      "the update's entry must not contain the creation's API key or request id",
      update,
    )
  }),

  scenario(
    'settings.history',
    200,
    'keeps the changes to a deleted project in the history, and records the deletion of its resources',
    async (context) => {
      const { client } = context
      const { id, name } = await client.projects.create({ name: context.uniqueName() })
      const flow = await context.createFlow({ id }, { key: 'ops' })
      await client.integrations.put(id, 'smtp', { settings: host })
      await client.eventEndpoints.create(id, { ...endpointFields, key: 'billing' })
      await client.projects.delete(id)
      const deleted = (await historyOf(context, id)).slice(4)
      assertIncludes(
        deleted.at(-1),
        { action: 'delete', kind: 'project', resource_id: id, before: { name }, after: null },
        'the last entry',
      )
      assertEqual(
        summarize(deleted.slice(0, -1)).toSorted(),
        [
          ['delete', 'event_endpoint', 'billing', []],
          ['delete', 'flow', 'ops', []],
          ['delete', 'integration', 'smtp', []],
        ],
        "the entries for the project's resources",
      )
      const { before } = deleted.find(({ kind }) => kind === 'flow') ?? {}
      assertIncludes(before, { name: flow.name, target: flow.target }, "the deleted flow's last settings")
    },
  ),

  scenario('settings.history', 200, 'records the changes to a flow, with its settings before and after', async (context) => {
    const project = await context.createProject()
    const flow = await context.createFlow(project, { key: 'ops' })
    const { name, key, active, source_type, target, override_target, message_template, message_template_type } = flow
    const settings = { key, name, active, source_type, target, override_target, message_template, message_template_type }
    await context.client.flows.patch(project.id, flow.id, { active: false, key: 'alerts' })
    const { key: _, ...json } = settings
    await context.http.expect('flows.update', 200, { params: { project_id: project.id, flow_id: flow.id }, json })
    await context.client.flows.delete(project.id, flow.id)
    const entries = (await historyOf(context, project.id)).slice(1)
    assertEqual(
      summarize(entries),
      [
        ['create', 'flow', 'ops', []],
        ['update', 'flow', 'alerts', ['/active', '/key']],
        ['update', 'flow', 'alerts', ['/active']],
        ['delete', 'flow', 'alerts', []],
      ],
      'entries',
    )
    const changed = { ...settings, key: 'alerts', active: false }
    const restored = { ...settings, key: 'alerts' }
    assertEqual(
      entries.map(({ resource_id, before, after }) => ({ resource_id, before, after })),
      [
        { resource_id: flow.id, before: null, after: settings },
        { resource_id: flow.id, before: settings, after: changed },
        { resource_id: flow.id, before: changed, after: restored },
        { resource_id: flow.id, before: restored, after: null },
      ],
      'the settings before and after each change',
    )
  }),

  scenario('settings.history', 200, 'records the changes to an integration, with only the names of its secrets', async (context) => {
    const project = await context.createProject()
    const put = (settings: object, secrets: object) =>
      context.http.expect('integrations.put', 200, { params: { project_id: project.id, source_type: 'smtp' }, json: { settings, secrets } })
    await put(host, {})
    await put({ ...host, user: 'conformance' }, { password: 'correct horse' })
    // Secret values are not compared, so setting the same value again counts as a change.
    await put({ ...host, user: 'conformance' }, { password: 'correct horse' })
    await put(host, { password: null })
    const inbound = await context.client.integrations.rotateInbound(project.id, 'smtp')
    await context.client.integrations.delete(project.id, 'smtp')
    const entries = (await historyOf(context, project.id)).slice(1)
    assertEqual(
      summarize(entries),
      [
        ['create', 'integration', 'smtp', []],
        ['update', 'integration', 'smtp', ['/secrets/password', '/settings/user']],
        ['update', 'integration', 'smtp', ['/secrets/password']],
        ['update', 'integration', 'smtp', ['/secrets/password', '/settings/user']],
        ['update', 'integration', 'smtp', ['/inbound']],
        ['delete', 'integration', 'smtp', []],
      ],
      'entries',
    )
    assertEqual(
      entries.map(({ resource_id }) => resource_id),
      [null, null, null, null, null, null],
      'resource ids',
    )
    assertIncludes(
      entries[1]?.after,
      { settings: { user: 'conformance' }, secrets: { password: { set: true } } },
      'the settings after the first update',
    )
    const text = JSON.stringify(entries)
    assert(!text.includes('correct horse') && !text.includes(inbound.path), 'the history must not contain a secret')
  }),

  scenario('settings.history', 200, 'records the changes to an event endpoint, without its signing secret', async (context) => {
    const project = await context.createProject()
    const { id, secret } = await context.client.eventEndpoints.create(project.id, { ...endpointFields, key: 'billing' })
    await context.client.eventEndpoints.update(project.id, id, { ...endpointFields, events: ['delivery.sent'], active: false })
    const rotated = await context.client.eventEndpoints.rotateSecret(project.id, id)
    await context.client.eventEndpoints.delete(project.id, id)
    const entries = (await historyOf(context, project.id)).slice(1)
    assertEqual(
      summarize(entries),
      [
        ['create', 'event_endpoint', 'billing', []],
        ['update', 'event_endpoint', 'billing', ['/active', '/events']],
        ['update', 'event_endpoint', 'billing', ['/secret']],
        ['delete', 'event_endpoint', 'billing', []],
      ],
      'entries',
    )
    assertEqual(entries[0]?.after, { ...endpointFields, key: 'billing' }, 'the settings after the creation')
    assertEqual(entries[0]?.resource_id, id, 'the resource id')
    const text = JSON.stringify(entries)
    assert(!text.includes(secret) && !text.includes(rotated.secret), 'the history must not contain a signing secret')
  }),

  scenario('settings.history', 200, 'records nothing for a request that changes nothing or is rejected', async (context) => {
    const { client } = context
    const project = await context.createProject()
    const flow = await context.createFlow(project, { key: 'ops' })
    const endpoint = await client.eventEndpoints.create(project.id, endpointFields)
    await client.integrations.put(project.id, 'smtp', { settings: host })
    const before = await historyOf(context, project.id)
    await client.projects.update(project.id, { name: project.name })
    await client.flows.update(project.id, flow.id, (current) => current)
    await client.flows.patch(project.id, flow.id, { active: flow.active })
    await client.flows.patch(project.id, flow.id, {})
    await client.flows.check(project.id, flow.id)
    await client.integrations.put(project.id, 'smtp', { settings: host })
    await client.integrations.put(project.id, 'smtp', { settings: host, secrets: { password: null } })
    await client.eventEndpoints.update(project.id, endpoint.id, endpointFields)
    const params = { project_id: project.id, flow_id: flow.id }
    await context.http.expect('flows.patch', 422, { params, json: { active: false, target: '' } })
    const headers = { 'if-match': '"other"' }
    await context.http.expect('flows.patch', 412, { params, json: { active: false }, headers })
    await context.http.expect('projects.delete', 412, { params: { project_id: project.id }, headers })
    assertEqual(await historyOf(context, project.id), before, 'the history after the requests')
  }),
]
