import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { apply, create, type Document, documentOf, effects } from '../settings-documents.ts'

type Endpoint = NonNullable<Document['event_endpoints']>[number]

const secretPattern = /^whsec_[A-Za-z0-9+/]{43}=$/

const endpointOf = (key: string, fields: Partial<Endpoint> = {}): Endpoint => ({
  key,
  url: null,
  events: ['delivery.failed', 'delivery.sent'],
  active: true,
  description: '',
  ...fields,
})

const withoutKey = ({ key: _, ...fields }: Endpoint) => fields

/** Scenarios about event endpoints in settings documents. */
export const settingsEndpointScenarios: readonly Scenario[] = [
  scenario('settings.apply', 200, 'creates event endpoints and returns their signing secrets once', async (context) => {
    const document = documentOf(context, { flows: [], event_endpoints: [endpointOf('billing'), endpointOf('audit', { active: false })] })
    const dry = await apply(context, { ...document, dry_run: true })
    assert(!JSON.stringify(dry).includes('whsec_'), 'a dry run must not return a secret')
    const applied = await apply(context, document)
    const projectId = applied.project_id ?? ''
    const created = applied.changes.filter(({ kind }) => kind === 'event_endpoint')
    assertEqual(
      created.map(({ action, key, pointer }) => [action, key, pointer]),
      [
        ['create', 'billing', '/event_endpoints/0'],
        ['create', 'audit', '/event_endpoints/1'],
      ],
      'changes',
    )
    for (const { secret = '' } of created) assert(secretPattern.test(secret), 'the secret must be whsec_ followed by 32 bytes in base64')
    assertEqual(new Set(created.map(({ secret }) => secret)).size, 2, 'number of distinct secrets')
    for (const [index, endpoint] of (document.event_endpoints ?? []).entries())
      assertIncludes(await context.client.eventEndpoints.get(projectId, created[index]?.id ?? ''), endpoint, `the endpoint ${endpoint.key}`)
    const again = await apply(context, { ...document, prune: true })
    assertEqual(effects(again.changes), [], 'the changes when the document is applied again')
    assert(!JSON.stringify(again).includes('whsec_'), 'the second response must not contain a secret')
    const exported = await context.client.settings.export(projectId)
    assertEqual(
      exported.document.event_endpoints,
      [endpointOf('audit', { active: false }), endpointOf('billing')],
      'the exported endpoints',
    )
    assert(!JSON.stringify(exported).includes('whsec_'), 'the export must not contain a secret')
    assertEqual(exported.digest, applied.digest, 'the exported digest')
  }),

  scenario('settings.apply', 200, 'replays a response without the signing secrets', async (context) => {
    const json = documentOf(context, { event_endpoints: [endpointOf('billing')] })
    const headers = { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') }
    const first = await context.http.expect('settings.apply', 200, { json, headers })
    context.onCleanup(({ client }) => client.projects.delete(first.json.project_id))
    assert(first.text.includes('whsec_'), 'the first response must contain the secret')
    const second = await context.http.expect('settings.apply', 200, { json, headers })
    const changes = first.json.changes.map(({ secret: _, ...change }: { secret?: string }) => change)
    assertEqual(second.json, { ...first.json, changes }, 'the replayed response')
    assertEqual((await context.client.eventEndpoints.list(first.json.project_id)).data.length, 1, 'number of endpoints')
  }),

  scenario('settings.apply', 200, 'changes and deletes only event endpoints that have a key', async (context) => {
    const billing = endpointOf('billing')
    const { document, projectId, applied } = await create(context, { event_endpoints: [billing, endpointOf('audit')] })
    const { client } = context
    const { secret: _, ...manual } = await client.eventEndpoints.create(projectId, withoutKey(endpointOf('')))
    const changed = endpointOf('billing', { events: ['delivery.sent', 'flow.unhealthy'], active: false })
    const { changes, warnings } = await apply(context, { ...document, event_endpoints: [changed] })
    const id = applied.changes.find(({ key }) => key === 'billing')?.id
    assertEqual(
      changes.filter(({ action }) => action !== 'none'),
      [
        {
          action: 'update',
          kind: 'event_endpoint',
          key: 'billing',
          id,
          pointer: '/event_endpoints/0/events',
          before: ['delivery.failed', 'delivery.sent'],
          after: ['delivery.sent', 'flow.unhealthy'],
        },
        { action: 'update', kind: 'event_endpoint', key: 'billing', id, pointer: '/event_endpoints/0/active', before: true, after: false },
      ],
      'changes',
    )
    assertEqual(
      warnings.map(({ code, pointer }) => [code, pointer]),
      [
        ['event_endpoints_without_key', '/event_endpoints'],
        ['not_in_document', '/event_endpoints'],
      ],
      'warnings',
    )
    const silent = await apply(context, { ...document, event_endpoints: undefined, prune: true })
    assertEqual([effects(silent.changes), silent.warnings], [[], []], 'the changes and warnings for a document without event_endpoints')
    const pruned = await apply(context, { ...document, event_endpoints: [changed], prune: true })
    assertEqual(effects(pruned.changes), [['delete', 'event_endpoint', 'audit', null]], 'the changes with prune')
    const { data } = await client.eventEndpoints.list(projectId)
    assertEqual(
      data.map(({ key }) => key),
      ['billing', null],
      'the endpoint keys',
    )
    assertIncludes(data[0] ?? {}, changed, 'the changed endpoint')
    assertEqual(data[1], manual, 'the endpoint whose `key` is null')
  }),

  scenario('settings.apply', 200, 'ignores the order of event types', async (context) => {
    const { document } = await create(context, { event_endpoints: [endpointOf('billing')] })
    const reordered = endpointOf('billing', { events: ['delivery.sent', 'delivery.failed', 'delivery.sent'] })
    assertEqual(effects((await apply(context, { ...document, event_endpoints: [reordered] })).changes), [], 'changes')
  }),

  scenario('settings.apply', 409, 'rejects more event endpoints than a project can have, and changes nothing', async (context) => {
    const { document, projectId } = await create(context)
    const { digest } = await context.client.settings.export(projectId)
    await context.client.eventEndpoints.create(projectId, withoutKey(endpointOf('')))
    const event_endpoints = Array.from({ length: 20 }, (_, index) => endpointOf(`endpoint-${index}`))
    const name = context.uniqueName()
    for (const dry_run of [true, false]) {
      const body = { ...document, project: { ...document.project, name }, event_endpoints, dry_run }
      await context.expectFailure(apply(context, body), 409, 'too_many_event_endpoints')
    }
    assertEqual((await context.client.settings.export(projectId)).digest, digest, 'the digest after the rejected documents')
    const fitting = await apply(context, { ...document, event_endpoints: event_endpoints.slice(1) })
    assertEqual(effects(fitting.changes).length, 19, 'number of changes for a document within the limit')
  }),

  scenario('settings.apply', 412, 'rejects an outdated If-Match, and names the event endpoint that changed', async (context) => {
    const { document, projectId, applied } = await create(context, { event_endpoints: [endpointOf('billing')] })
    const id = applied.changes.find(({ key }) => key === 'billing')?.id ?? ''
    await context.client.eventEndpoints.update(projectId, id, withoutKey(endpointOf('', { description: 'Changed meanwhile' })))
    const error = await context.expectFailure(apply(context, document, applied.digest), 412, 'etag_mismatch')
    assert(/event endpoint `billing`/.test(error.message), 'the detail must name the changed endpoint', error.message)
  }),

  scenario('settings.apply', 422, 'returns the issues in event endpoints', async (context) => {
    const { active: _, ...incomplete } = endpointOf('incomplete')
    const json = {
      ...documentOf(context),
      event_endpoints: [
        endpointOf('billing', { url: 'ftp://example.com/' }),
        endpointOf('billing'),
        { ...endpointOf('audit'), events: ['*'] },
        incomplete,
        { ...endpointOf('secret'), secret: 'whsec_chosen' },
      ],
    }
    const response = await context.http.expect('settings.apply', 422, { json }, 'validation_failed')
    const pointers = (response.json.errors as { pointer: string }[]).map(({ pointer }) => pointer)
    for (const pointer of ['/0/url', '/1/key', '/2/events/0', '/3/active', '/4/secret'])
      assert(pointers.includes(`/event_endpoints${pointer}`), `errors must contain /event_endpoints${pointer}`, pointers)
  }),
]
