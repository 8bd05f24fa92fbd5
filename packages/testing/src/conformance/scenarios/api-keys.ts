import { scopes } from '@flowpost/contract'
import { equal, holds, includes } from '../failure.ts'
import { scheduled } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

/** What API keys do. */
export const apiKeyScenarios: readonly Scenario[] = [
  scenario('apiKeys.create', 201, 'makes a key that works, and shows its secret once', async (context) => {
    const name = context.uniqueName()
    const made = await context.client.apiKeys.create({ name }).withResponse()
    context.cleanUp(() => context.client.apiKeys.delete(made.data.id))
    includes(made.data, { name, scopes: [...scopes], project_id: null, expires_at: null, last_used_at: null }, 'key')
    holds(made.data.key.startsWith('fp_'), 'a key starts with fp_')
    equal(made.response.headers.get('location'), `/v1/settings/api-keys/${made.data.id}`, 'Location')
    await context.http.expect('projects.list', 200, { key: made.data.key })
  }),

  scenario('apiKeys.create', 201, 'makes a key with fewer scopes, for one project, with an end', async (context) => {
    const project = await context.project()
    const expires_at = await context.serverTime(3_600_000)
    const made = await context.client.apiKeys.create({
      name: context.uniqueName(),
      scopes: ['notifications:read', 'settings:read'],
      project_id: project.id,
      expires_at,
    })
    context.cleanUp(() => context.client.apiKeys.delete(made.id))
    // In the order of the interface, whatever the order they were asked for in.
    includes(made, { scopes: ['settings:read', 'notifications:read'], project_id: project.id, expires_at }, 'key')
  }),

  scenario('apiKeys.create', 404, 'knows no project that is not the user’s', async (context) => {
    for (const project_id of ['prj_0000000001e008000000000000', 'nonsense'])
      await context.fails(context.client.apiKeys.create({ name: 'a', project_id }), 404, 'not_found')
  }),

  scenario('apiKeys.create', 409, 'does not repeat an answer that held a secret', async (context) => {
    const idempotencyKey = context.uniqueName().replaceAll(' ', '-')
    const body = { name: context.uniqueName() }
    const made = await context.client.apiKeys.create(body, { idempotencyKey }).withResponse()
    context.cleanUp(() => context.client.apiKeys.delete(made.data.id))
    const headers = { 'idempotency-key': idempotencyKey }
    const again = await context.http.expect('apiKeys.create', 409, { json: body, headers }, 'idempotency_not_replayable')
    equal(again.headers.get('location'), made.response.headers.get('location'), 'Location, which names what was made')
  }),

  scenario('apiKeys.create', 422, 'gives a key no more than the one that makes it has', async (context) => {
    const expires_at = await context.serverTime(3_600_000)
    const { key } = await context.key({ scopes: ['keys:write', 'settings:read'], expires_at })
    const later = new Date(Date.parse(expires_at) + 1_000).toISOString()
    const json = { name: 'a', scopes: ['settings:read', 'settings:write'], expires_at: later }
    const answer = await context.http.expect('apiKeys.create', 422, { json, key }, 'validation_failed')
    const faults = answer.json.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
    equal(faults.sort(), ['/expires_at invalid_value', '/scopes/1 invalid_value'], 'errors')
    const past = await context.serverTime(-1_000)
    const ended = await context.http.expect('apiKeys.create', 422, { json: { name: 'a', expires_at: past } })
    includes(ended.json.errors, [{ pointer: '/expires_at', code: 'invalid_value' }], 'errors')
  }),

  scenario('apiKeys.create', 201, 'makes a key that is good until its end', async (context) => {
    const { notification } = await scheduled(context)
    const { key } = await context.key({ expires_at: await context.serverTime(2_000) })
    await context.http.expect('projects.list', 200, { key, query: { limit: '1' } })
    // Nothing comes of it: this only lets time pass on the server.
    await context.client.notifications.get(notification.id, { wait: 3 })
    await context.http.expect('projects.list', 401, { key, query: { limit: '1' } }, 'unauthenticated')
  }),

  scenario('apiKeys.list', 200, 'lists keys without their secrets', async (context) => {
    const made = await context.key({ scopes: ['settings:read'] })
    const listed = []
    for await (const key of context.client.apiKeys.list()) listed.push(key)
    includes(
      listed.find(({ id }) => id === made.id),
      { scopes: ['settings:read'] },
      'the key that was made',
    )
    holds(!JSON.stringify(listed).includes(made.key), 'the list holds a secret')
  }),

  scenario('apiKeys.delete', 204, 'revokes a key and those made with it, at once', async (context) => {
    const parent = await context.key({})
    const child = await context.http.expect('apiKeys.create', 201, { json: { name: context.uniqueName() }, key: parent.key })
    await context.client.apiKeys.delete(parent.id)
    for (const key of [parent.key, child.json.key]) await context.http.expect('projects.list', 401, { key }, 'unauthenticated')
    await context.fails(context.client.apiKeys.delete(parent.id), 404, 'not_found')
  }),

  scenario('apiKeys.delete', 403, 'keeps a key that can do more, or lasts longer, than the key that would revoke it', async (context) => {
    const expires_at = await context.serverTime(3_600_000)
    const parent = await context.key({})
    const limited = await context.http.expect('apiKeys.create', 201, {
      json: { name: context.uniqueName(), scopes: ['keys:write'] },
      key: parent.key,
    })
    const short = await context.key({ scopes: ['keys:write'], expires_at })
    const beyond = [
      { id: parent.id, key: limited.json.key },
      { id: (await context.key({ scopes: ['notifications:read'] })).id, key: limited.json.key },
      { id: limited.json.id, key: short.key },
    ]
    for (const { id, key } of beyond) await context.http.expect('apiKeys.delete', 403, { params: { key_id: id }, key }, 'scope_missing')
    await context.http.expect('projects.list', 200, { key: parent.key, query: { limit: '1' } })
  }),

  scenario('apiKeys.delete', 204, 'lets a key revoke itself, those made with it, and one that can do no more', async (context) => {
    const scopes = ['keys:write', 'settings:read'] as const
    const parent = await context.key({ scopes })
    const child = await context.http.expect('apiKeys.create', 201, { json: { name: context.uniqueName() }, key: parent.key })
    const grandchild = await context.http.expect('apiKeys.create', 201, { json: { name: context.uniqueName() }, key: child.json.key })
    const beside = await context.key({ scopes: ['keys:write'] })
    for (const { id } of [grandchild.json, beside, parent])
      await context.http.expect('apiKeys.delete', 204, { params: { key_id: id }, key: parent.key })
    await context.http.expect('projects.list', 401, { key: child.json.key }, 'unauthenticated')
  }),
]
