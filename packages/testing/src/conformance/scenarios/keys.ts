import { assertEqual, assertIncludes } from '../assertions.ts'
import type { ScenarioContext } from '../context.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { uniqueKey } from '../settings-documents.ts'

const invalidKeys = ['', 'Billing', '-billing', 'bill_ing', 'billing\n', 'é', 'k'.repeat(65), 7]

const endpointFields = { url: null, events: ['delivery.failed' as const], active: false, description: '' }

const createKeyed = async (context: ScenarioContext, key: string | null) => {
  const project = await context.client.projects.create({ name: context.uniqueName(), key })
  context.onCleanup(({ client }) => client.projects.delete(project.id))
  return project
}

const expectTaken = async (context: ScenarioContext, call: PromiseLike<unknown>) => {
  const error = await context.expectFailure(call, 409, 'key_taken')
  assertIncludes(error.errors, [{ in: 'body', pointer: '/key' }], 'errors')
}

/** Scenarios about the keys of projects, flows and event endpoints. */
export const keyScenarios: readonly Scenario[] = [
  scenario('projects.create', 201, "stores a project's key", async (context) => {
    const key = `${'k'.repeat(39)}-${uniqueKey(context)}`.slice(0, 64)
    const project = await createKeyed(context, key)
    assertEqual(project.key, key, 'key')
    assertEqual(await context.client.projects.get(project.id), project, 'the project, read again')
    assertEqual((await context.createProject()).key, null, 'the key of a project created without a key')
  }),

  scenario('projects.create', 409, 'rejects a key that is already taken', async (context) => {
    const key = uniqueKey(context)
    await createKeyed(context, key)
    await expectTaken(context, createKeyed(context, key))
  }),

  scenario(
    'projects.create',
    201,
    'accepts the same project key for two users',
    async (context) => {
      const { key } = await createKeyed(context, uniqueKey(context))
      const created = await context.otherClient().projects.create({ name: context.uniqueName(), key })
      context.onCleanup(({ otherClient }) => otherClient().projects.delete(created.id))
      assertEqual(created.key, key, 'key')
    },
    ['otherApiKey'],
  ),

  scenario('projects.create', 422, 'returns an issue for an invalid project key', async (context) => {
    for (const key of invalidKeys) {
      const json = { name: context.uniqueName(), key }
      const response = await context.http.expect('projects.create', 422, { json }, 'validation_failed')
      assertIncludes(response.json.errors, [{ in: 'body', pointer: '/key' }], `the errors for ${JSON.stringify(key)}`)
    }
  }),

  scenario('projects.update', 200, "keeps, changes and removes a project's key", async (context) => {
    const { client } = context
    const name = context.uniqueName()
    const { id, key } = await createKeyed(context, uniqueKey(context))
    assertEqual((await client.projects.update(id, { name })).key, key, 'the key after an update without a key')
    const newKey = uniqueKey(context)
    assertEqual((await client.projects.update(id, { name, key: newKey })).key, newKey, 'the new key')
    assertEqual((await client.projects.update(id, { name, key: newKey })).key, newKey, 'the key after an update with the same key')
    assertEqual((await createKeyed(context, key)).key, key, 'the released key, reused by a new project')
    assertEqual((await client.projects.update(id, { name, key: null })).key, null, 'the key after its removal')
    assertEqual((await client.projects.get(id)).key, null, 'the key, read again')
  }),

  scenario('projects.update', 409, 'rejects a key that another project has', async (context) => {
    const { key } = await createKeyed(context, uniqueKey(context))
    const { id, name } = await context.createProject()
    await expectTaken(context, context.client.projects.update(id, { name, key }))
    assertEqual((await context.client.projects.get(id)).key, null, 'the key after the rejected update')
  }),

  scenario('flows.create', 201, "stores a flow's key", async (context) => {
    const projects = [await context.createProject(), await context.createProject()]
    // Flows in different projects can have the same key.
    for (const project of projects) {
      const flow = await context.createFlow(project, { key: 'ops-mail' })
      assertEqual(flow.key, 'ops-mail', 'key')
      assertEqual(await context.client.flows.get(project.id, flow.id), flow, 'the flow, read again')
      assertEqual((await context.createFlow(project)).key, null, 'the key of a flow created without a key')
    }
  }),

  scenario('flows.create', 409, 'rejects a key that another flow in the project has', async (context) => {
    const project = await context.createProject()
    await context.createFlow(project, { key: 'ops-mail' })
    await expectTaken(context, context.createFlow(project, { key: 'ops-mail' }))
  }),

  scenario('flows.patch', 200, "changes and removes a flow's key", async (context) => {
    const { client } = context
    const project = await context.createProject()
    const flow = await context.createFlow(project)
    const before = await client.flows.get(project.id, flow.id).withResponse()
    const changed = await client.flows.patch(project.id, flow.id, { key: 'ops-mail' })
    assertIncludes(changed, { key: 'ops-mail', name: flow.name, target: flow.target }, 'the changed flow')
    const ifMatch = before.response.headers.get('etag') ?? ''
    await context.expectFailure(client.flows.patch(project.id, flow.id, { key: 'other' }, { ifMatch }), 412, 'etag_mismatch')
    assertEqual((await client.flows.patch(project.id, flow.id, { active: false })).key, 'ops-mail', 'the key after an unrelated change')
    assertEqual((await client.flows.patch(project.id, flow.id, { key: null })).key, null, 'the key after its removal')
    assertEqual((await context.createFlow(project, { key: 'ops-mail' })).key, 'ops-mail', 'the released key, reused by a new flow')
  }),

  scenario('flows.patch', 409, 'rejects a key that another flow in the project has', async (context) => {
    const project = await context.createProject()
    await context.createFlow(project, { key: 'ops-mail' })
    const flow = await context.createFlow(project)
    await expectTaken(context, context.client.flows.patch(project.id, flow.id, { key: 'ops-mail' }))
    assertEqual((await context.client.flows.get(project.id, flow.id)).key, null, 'the key after the rejected update')
  }),

  scenario('flows.update', 200, "keeps the flow's key, and rejects a body with a key", async (context) => {
    const project = await context.createProject()
    const { id, ...flow } = await context.createFlow(project, { key: 'ops-mail' })
    const { name, source_type, target, override_target, message_template } = flow
    const body = {
      name,
      active: false,
      source_type,
      target,
      override_target,
      message_template,
      message_template_type: 'text/plain',
    } as const
    assertEqual((await context.client.flows.update(project.id, id, body)).key, 'ops-mail', 'key')
    const response = await context.http.expect(
      'flows.update',
      422,
      { params: { project_id: project.id, flow_id: id }, json: { ...body, key: 'ops-mail' } },
      'validation_failed',
    )
    assertIncludes(response.json.errors, [{ in: 'body', pointer: '/key', code: 'unknown_field' }], 'errors')
  }),

  scenario('eventEndpoints.create', 201, "stores an event endpoint's key", async (context) => {
    const projects = [await context.createProject(), await context.createProject()]
    // Event endpoints in different projects can have the same key.
    for (const project of projects) {
      const { secret: _, ...endpoint } = await context.client.eventEndpoints.create(project.id, { ...endpointFields, key: 'billing' })
      assertEqual(endpoint.key, 'billing', 'key')
      assertEqual(await context.client.eventEndpoints.get(project.id, endpoint.id), endpoint, 'the stored endpoint')
      assertEqual(
        (await context.client.eventEndpoints.create(project.id, endpointFields)).key,
        null,
        'the key of an endpoint created without a key',
      )
    }
  }),

  scenario('eventEndpoints.create', 409, 'rejects a key that another event endpoint in the project has', async (context) => {
    const project = await context.createProject()
    await context.client.eventEndpoints.create(project.id, { ...endpointFields, key: 'billing' })
    await expectTaken(context, context.client.eventEndpoints.create(project.id, { ...endpointFields, key: 'billing' }))
    assertEqual((await context.client.eventEndpoints.list(project.id)).data.length, 1, 'number of endpoints')
  }),

  scenario('eventEndpoints.create', 422, 'returns an issue for an invalid endpoint key', async (context) => {
    const project = await context.createProject()
    for (const key of invalidKeys) {
      const request = { params: { project_id: project.id }, json: { ...endpointFields, key } }
      const response = await context.http.expect('eventEndpoints.create', 422, request, 'validation_failed')
      assertIncludes(response.json.errors, [{ in: 'body', pointer: '/key' }], `the errors for ${JSON.stringify(key)}`)
    }
  }),

  scenario('eventEndpoints.update', 200, "keeps, changes and removes an event endpoint's key", async (context) => {
    const { client } = context
    const project = await context.createProject()
    const { id } = await client.eventEndpoints.create(project.id, { ...endpointFields, key: 'billing' })
    const update = (fields: object) => client.eventEndpoints.update(project.id, id, { ...endpointFields, ...fields })
    assertEqual((await update({})).key, 'billing', 'the key after an update without a key')
    assertEqual((await update({ key: 'audit' })).key, 'audit', 'the new key')
    assertEqual((await update({ key: 'audit' })).key, 'audit', 'the key after an update with the same key')
    const other = await client.eventEndpoints.create(project.id, { ...endpointFields, key: 'billing' })
    assertEqual(other.key, 'billing', 'the released key, reused by a new endpoint')
    assertEqual((await update({ key: null })).key, null, 'the key after its removal')
    assertEqual((await client.eventEndpoints.get(project.id, id)).key, null, 'the key, read again')
  }),

  scenario('eventEndpoints.update', 409, 'rejects a key that another event endpoint in the project has', async (context) => {
    const project = await context.createProject()
    await context.client.eventEndpoints.create(project.id, { ...endpointFields, key: 'billing' })
    const { id } = await context.client.eventEndpoints.create(project.id, endpointFields)
    const description = 'not stored'
    await expectTaken(context, context.client.eventEndpoints.update(project.id, id, { ...endpointFields, description, key: 'billing' }))
    assertIncludes(
      await context.client.eventEndpoints.get(project.id, id),
      { key: null, description: '' },
      'the endpoint after the rejected update',
    )
  }),
]
