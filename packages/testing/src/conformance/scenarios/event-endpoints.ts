import type { EventEndpointCreate, EventEndpointUpdate } from '@flowpost/client'
import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import type { ScenarioContext } from '../context.ts'
import { createEventSource } from '../event-source.ts'
import { collectIds, idOf } from '../pages.ts'
import { unknownId, unreachableUrl } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const maxEndpoints = 20
const maxAttempts = 100
const pollMs = 50

const unknownHealth = { status: 'unknown', code: null, detail: null, since: null, next_attempt_at: null }

const fields: EventEndpointUpdate = { url: null, events: ['delivery.failed', 'flow.unhealthy'], active: true, description: 'Billing' }

const createEndpoint = async (context: ScenarioContext, over: Partial<EventEndpointCreate> = {}) => {
  const project = await context.createProject()
  const endpoint = await context.client.eventEndpoints.create(project.id, { ...fields, ...over })
  return { project, endpoint, params: { project_id: project.id, endpoint_id: endpoint.id } }
}

const secretPattern = /^whsec_[A-Za-z0-9+/]{43}=$/

/** Scenarios about event endpoints. */
export const eventEndpointScenarios: readonly Scenario[] = [
  scenario('eventEndpoints.create', 201, 'creates an endpoint and returns its signing secret once', async (context) => {
    const project = await context.createProject()
    const created = await context.client.eventEndpoints.create(project.id, { url: null, events: ['delivery.sent'] }).withResponse()
    const { secret, ...endpoint } = created.data
    assertIncludes(endpoint, { project_id: project.id, url: null, events: ['delivery.sent'], active: true, description: '' }, 'endpoint')
    assertEqual(endpoint.health, unknownHealth, 'health')
    assertEqual(endpoint.updated_at, endpoint.created_at, 'updated_at')
    assert(secretPattern.test(secret), 'the secret must be whsec_ followed by 32 bytes in base64')
    const path = `/v1/settings/projects/${project.id}/event-endpoints/${endpoint.id}`
    assertEqual(created.response.headers.get('location'), path, 'the Location header')
    const read = await context.client.eventEndpoints.get(project.id, endpoint.id).withResponse()
    assertEqual(read.data, endpoint, 'the endpoint, read again')
    assertEqual(read.response.headers.get('etag'), created.response.headers.get('etag'), 'the ETag, read again')
    assertEqual((await context.client.eventEndpoints.list(project.id)).data, [endpoint], 'the list')
  }),

  scenario('eventEndpoints.create', 409, 'does not replay a response with a secret', async (context) => {
    const project = await context.createProject()
    const headers = { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') }
    const request = { params: { project_id: project.id }, json: fields, headers }
    const created = await context.http.expect('eventEndpoints.create', 201, request)
    const again = await context.http.expect('eventEndpoints.create', 409, request, 'idempotency_not_replayable')
    assertEqual(again.headers.get('location'), created.headers.get('location'), 'the Location header of the second response')
    assertEqual((await context.client.eventEndpoints.list(project.id)).data.length, 1, 'number of endpoints')
  }),

  scenario('eventEndpoints.create', 409, `rejects more than ${maxEndpoints} endpoints per project`, async (context) => {
    const project = await context.createProject()
    const ids: string[] = []
    for (let count = 0; count < maxEndpoints; count += 1)
      ids.push((await context.client.eventEndpoints.create(project.id, { ...fields, active: false })).id)
    const more = () => context.client.eventEndpoints.create(project.id, fields)
    await context.expectFailure(more(), 409, 'too_many_event_endpoints')
    const listed = await collectIds(context.client.eventEndpoints.list(project.id, { limit: 8 }), 5)
    assertEqual(listed, [ids.slice(0, 8), ids.slice(8, 16), ids.slice(16)], 'the endpoint ids on each page, oldest first')
    await context.client.eventEndpoints.delete(project.id, ids[0] ?? '')
    await more()
  }),

  scenario('eventEndpoints.create', 422, 'returns an issue for each invalid field', async (context) => {
    const params = { project_id: (await context.createProject()).id }
    for (const [over, pointer] of [
      [{ url: 'ftp://example.com/' }, '/url'],
      [{ url: 'example.com' }, '/url'],
      [{ url: '' }, '/url'],
      [{ url: 'https://user:password@example.com/' }, '/url'],
      [{ url: 'https://example.com/#fragment' }, '/url'],
      [{ url: `https://example.com/${'x'.repeat(2048)}` }, '/url'],
      [{ url: undefined }, '/url'],
      [{ events: [] }, '/events'],
      [{ events: ['*'] }, '/events/0'],
      [{ events: ['delivery.sent', 'test.ping'] }, '/events/1'],
      [{ active: 'yes' }, '/active'],
      [{ description: 'x'.repeat(256) }, '/description'],
      [{ secret: 'whsec_chosen' }, '/secret'],
    ] as const) {
      const request = { params, json: { ...fields, ...over } }
      const { json } = await context.http.expect('eventEndpoints.create', 422, request, 'validation_failed')
      assertIncludes(json.errors, [{ in: 'body', pointer }], `the errors for ${JSON.stringify(over).slice(0, 60)}`)
    }
  }),

  scenario('eventEndpoints.list', 200, "lists only the project's endpoints, without secrets", async (context) => {
    const [one, other] = [await createEndpoint(context), await createEndpoint(context)]
    const { json, text } = await context.http.expect('eventEndpoints.list', 200, { params: { project_id: one.project.id } })
    assertEqual(
      json.data.map(({ id }: { id: string }) => id),
      [one.endpoint.id],
      'the listed ids',
    )
    assert(!text.includes('whsec_'), 'the list must not contain a secret')
    await context.expectFailure(context.client.eventEndpoints.get(one.project.id, other.endpoint.id), 404, 'not_found')
  }),

  scenario('eventEndpoints.get', 200, 'returns an endpoint without its secret', async (context) => {
    const { endpoint, params } = await createEndpoint(context)
    const { json, text } = await context.http.expect('eventEndpoints.get', 200, { params })
    const { secret: _, ...expected } = endpoint
    assertEqual(json, expected, 'endpoint')
    assert(!text.includes('whsec_'), 'the response must not contain a secret')
  }),

  scenario('eventEndpoints.update', 200, 'replaces every writable field', async (context) => {
    const { project, endpoint } = await createEndpoint(context)
    const changed = { url: unreachableUrl, events: ['delivery.sent' as const], active: false, description: 'changed' }
    const updated = await context.client.eventEndpoints.update(project.id, endpoint.id, changed)
    assertIncludes(updated, { ...changed, id: endpoint.id, created_at: endpoint.created_at, health: unknownHealth }, 'endpoint')
    assertEqual(await context.client.eventEndpoints.get(project.id, endpoint.id), updated, 'the endpoint, read again')
    const back = await context.client.eventEndpoints.update(project.id, endpoint.id, (current) => ({ ...current, url: null, active: true }))
    assertIncludes(back, { ...changed, url: null, active: true }, 'the endpoint after an update of url and active')
  }),

  scenario('eventEndpoints.update', 200, 'does not send events from before the endpoint had a URL', async (context) => {
    const { project, endpoint, send, read } = await createEventSource(context)
    await send()
    const { cursor } = await read(2)
    await context.client.eventEndpoints.update(project.id, endpoint.id, (current) => ({ ...current, url: unreachableUrl }))
    await send()
    const later = (await read(2, cursor)).data.map(({ id }) => id)
    const attempts = async () => (await context.client.eventEndpoints.attempts(project.id, endpoint.id)).data
    while ((await attempts()).length === 0) await new Promise((resolve) => setTimeout(resolve, pollMs))
    for (const { event_id } of await attempts())
      assert(later.includes(event_id), 'the endpoint must not receive events from before the URL was set', event_id)
  }),

  scenario('eventEndpoints.update', 422, 'requires every field', async (context) => {
    const { params } = await createEndpoint(context)
    for (const name of Object.keys(fields)) {
      const request = { params, json: { ...fields, [name]: undefined } }
      const { json } = await context.http.expect('eventEndpoints.update', 422, request, 'validation_failed')
      assertIncludes(json.errors, [{ in: 'body', pointer: `/${name}`, code: 'required' }], `errors without ${name}`)
    }
  }),

  scenario('eventEndpoints.delete', 204, 'deletes an endpoint', async (context) => {
    const { project, endpoint, params } = await createEndpoint(context)
    await context.client.eventEndpoints.delete(project.id, endpoint.id)
    for (const operation of ['eventEndpoints.get', 'eventEndpoints.delete', 'eventEndpoints.attempts', 'eventEndpoints.test'] as const)
      await context.http.expect(operation, 404, { params }, 'not_found')
    assertEqual((await context.client.eventEndpoints.list(project.id)).data, [], 'the list')
  }),

  scenario('eventEndpoints.rotateSecret', 200, 'returns a new secret once', async (context) => {
    const { project, endpoint, params } = await createEndpoint(context)
    const first = await context.http.expect('eventEndpoints.rotateSecret', 200, { params })
    const second = await context.http.expect('eventEndpoints.rotateSecret', 200, { params })
    const secrets = [endpoint.secret, first.json.secret, second.json.secret]
    for (const secret of secrets) assert(secretPattern.test(secret), 'the secret must be whsec_ followed by 32 bytes in base64')
    assertEqual(new Set(secrets).size, 3, 'number of distinct secrets')
    const { secret: _, ...returned } = second.json
    assertEqual(returned, await context.client.eventEndpoints.get(project.id, endpoint.id), 'the endpoint')
  }),

  scenario('eventEndpoints.rotateSecret', 200, 'changes the entity tag', async (context) => {
    const { endpoint, params } = await createEndpoint(context)
    const tagOf = async () => (await context.http.expect('eventEndpoints.get', 200, { params })).headers.get('etag')
    const before = await tagOf()
    const { json } = await context.http.expect('eventEndpoints.rotateSecret', 200, { params })
    assert(json.updated_at > endpoint.updated_at, 'rotating the secret must advance updated_at', json.updated_at)
    assert((await tagOf()) !== before, 'rotating the secret must change the entity tag', before)
  }),

  scenario(
    'eventEndpoints.rotateSecret',
    409,
    'does not replay a response with a secret, and does not rotate the secret again',
    async (context) => {
      const { project, endpoint, params } = await createEndpoint(context)
      const headers = { 'idempotency-key': context.uniqueName().replaceAll(' ', '-') }
      await context.http.expect('eventEndpoints.rotateSecret', 200, { params, headers })
      const replay = await context.http.expect('eventEndpoints.rotateSecret', 409, { params, headers }, 'idempotency_not_replayable')
      const path = `/v1/settings/projects/${project.id}/event-endpoints/${endpoint.id}`
      assertEqual(replay.headers.get('location'), path, 'the Location header')
    },
  ),

  ...(['eventEndpoints.test', 'eventEndpoints.replay'] as const).map((operation) =>
    scenario(operation, 409, 'rejects an endpoint without a URL', async (context) => {
      const { params } = await createEndpoint(context)
      const request = operation === 'eventEndpoints.replay' ? { params, json: { after: null } } : { params }
      await context.http.expect(operation, 409, request, 'event_endpoint_without_url')
    }),
  ),

  scenario('eventEndpoints.test', 200, "sends one event, logs the attempt, and does not change the endpoint's health", async (context) => {
    const { project, endpoint, params } = await createEndpoint(context, { url: unreachableUrl, active: false })
    const { json: attempt } = await context.http.expect('eventEndpoints.test', 200, { params })
    assertIncludes(attempt, { type: 'test.ping' }, 'attempt')
    const isDelivered = attempt.outcome === 'delivered'
    assertEqual([attempt.code === null, attempt.detail === null], [isDelivered, isDelivered], 'whether code and detail are null')
    assertEqual((await context.client.eventEndpoints.attempts(project.id, endpoint.id)).data, [attempt], 'the attempts')
    assertEqual((await context.client.eventEndpoints.get(project.id, endpoint.id)).health, unknownHealth, 'health')
    const feed = await context.client.events.list({ project_id: project.id })
    assertEqual(feed.data, [], 'the events in the feed')
  }),

  scenario('eventEndpoints.attempts', 200, 'lists the attempts in pages, newest first', async (context) => {
    const { project, endpoint, params } = await createEndpoint(context, { url: unreachableUrl })
    const ids: string[] = []
    for (let count = 0; count < 3; count += 1) ids.push((await context.http.expect('eventEndpoints.test', 200, { params })).json.id)
    const pages = await collectIds(context.client.eventEndpoints.attempts(project.id, endpoint.id, { limit: 2 }), 3)
    assertEqual(pages, [[ids[2], ids[1]], [ids[0]]], 'the attempt ids on each page')
  }),

  scenario('eventEndpoints.attempts', 200, `returns only the latest ${maxAttempts} attempts`, async (context) => {
    // Each attempt ends quickly: an IP address needs no DNS lookup, and nothing accepts connections on port 1.
    const { project, endpoint, params } = await createEndpoint(context, { url: 'https://127.0.0.1:1/' })
    const test = async (): Promise<string> => (await context.http.expect('eventEndpoints.test', 200, { params })).json.id
    const first = await test()
    const others = await Promise.all(Array.from({ length: maxAttempts - 1 }, test))
    const last = await test()
    const { data } = await context.client.eventEndpoints.attempts(project.id, endpoint.id, { limit: 1000 })
    assertEqual(data.map(idOf).sort(), [...others, last].sort(), `the attempt ids, which must not include ${first}`)
  }),

  scenario('eventEndpoints.attempts', 400, "rejects another endpoint's cursor", async (context) => {
    const { project, endpoint, params } = await createEndpoint(context, { url: unreachableUrl })
    const other = await context.client.eventEndpoints.create(project.id, fields)
    for (let count = 0; count < 2; count += 1) await context.http.expect('eventEndpoints.test', 200, { params })
    const { next_cursor } = await context.client.eventEndpoints.attempts(project.id, endpoint.id, { limit: 1 })
    const cursor = next_cursor ?? ''
    await context.expectFailure(context.client.eventEndpoints.attempts(project.id, other.id, { cursor }), 400, 'invalid_cursor')
    await context.expectFailure(
      context.client.eventEndpoints.attempts(project.id, endpoint.id, { cursor: 'nonsense' }),
      400,
      'invalid_cursor',
    )
  }),

  scenario('eventEndpoints.replay', 404, 'returns not_found for an unknown event', async (context) => {
    const { project, endpoint } = await createEndpoint(context, { url: unreachableUrl })
    for (const after of [unknownId('event'), 'nonsense'])
      await context.expectFailure(context.client.eventEndpoints.replay(project.id, endpoint.id, { after }), 404, 'not_found')
  }),

  scenario('eventEndpoints.replay', 404, "returns not_found for another project's event", async (context) => {
    const { project, endpoint } = await createEndpoint(context, { url: unreachableUrl })
    const { send, read } = await createEventSource(context)
    await send()
    const after = (await read(2)).data[0]?.id ?? ''
    await context.expectFailure(context.client.eventEndpoints.replay(project.id, endpoint.id, { after }), 404, 'not_found')
  }),
]
