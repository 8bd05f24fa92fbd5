import { scopes } from '@flowpost/contract'
import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import { collectPages, idOf, maxSharedPages } from '../pages.ts'
import { type Scenario, scenario } from '../scenario.ts'

/** Scenarios about API keys. */
export const apiKeyScenarios: readonly Scenario[] = [
  scenario('apiKeys.create', 201, 'creates a working key and returns its secret once', async (context) => {
    const name = context.uniqueName()
    const created = await context.client.apiKeys.create({ name }).withResponse()
    context.onCleanup(({ client }) => client.apiKeys.delete(created.data.id))
    assertIncludes(created.data, { name, scopes: [...scopes], project_id: null, expires_at: null, last_used_at: null }, 'the created key')
    assert(created.data.key.startsWith('fp_'), 'a key must start with fp_')
    assertEqual(created.response.headers.get('location'), `/v1/settings/api-keys/${created.data.id}`, 'the Location header')
    await context.http.expect('projects.list', 200, { key: created.data.key })
  }),

  scenario('apiKeys.create', 201, 'creates a key with limited scopes, a project and an expiry', async (context) => {
    const project = await context.createProject()
    const expires_at = await context.serverTime(3_600_000)
    const created = await context.client.apiKeys.create({
      name: context.uniqueName(),
      scopes: ['notifications:read', 'settings:read'],
      project_id: project.id,
      expires_at,
    })
    context.onCleanup(({ client }) => client.apiKeys.delete(created.id))
    // The response lists scopes in contract order, regardless of the requested order.
    assertIncludes(created, { scopes: ['settings:read', 'notifications:read'], project_id: project.id, expires_at }, 'the created key')
  }),

  scenario('apiKeys.create', 404, 'returns not_found for an unknown or malformed project id', async (context) => {
    for (const project_id of ['prj_0000000001e008000000000000', 'nonsense'])
      await context.expectFailure(context.client.apiKeys.create({ name: 'a', project_id }), 404, 'not_found')
  }),

  scenario('apiKeys.create', 409, 'does not replay a response with a secret', async (context) => {
    const idempotencyKey = context.uniqueName().replaceAll(' ', '-')
    const body = { name: context.uniqueName() }
    const created = await context.client.apiKeys.create(body, { idempotencyKey }).withResponse()
    context.onCleanup(({ client }) => client.apiKeys.delete(created.data.id))
    const headers = { 'idempotency-key': idempotencyKey }
    const again = await context.http.expect('apiKeys.create', 409, { json: body, headers }, 'idempotency_not_replayable')
    assertEqual(again.headers.get('location'), created.response.headers.get('location'), 'the Location header of the second response')
  }),

  scenario('apiKeys.create', 422, 'rejects a key with more permissions or a later expiry than its creator', async (context) => {
    const expires_at = await context.serverTime(3_600_000)
    const { key } = await context.createKey({ scopes: ['keys:write', 'settings:read'], expires_at })
    const later = new Date(Date.parse(expires_at) + 1_000).toISOString()
    const json = { name: 'a', scopes: ['settings:read', 'settings:write'], expires_at: later }
    const response = await context.http.expect('apiKeys.create', 422, { json, key }, 'validation_failed')
    const issues = response.json.errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`)
    assertEqual(issues.sort(), ['/expires_at invalid_value', '/scopes/1 invalid_value'], 'errors')
    const past = await context.serverTime(-1_000)
    const ended = await context.http.expect('apiKeys.create', 422, { json: { name: 'a', expires_at: past } })
    assertIncludes(ended.json.errors, [{ pointer: '/expires_at', code: 'invalid_value' }], 'the errors for a past expiry')
  }),

  scenario('apiKeys.list', 200, 'lists keys without their secrets', async (context) => {
    const created = await context.createKey({ scopes: ['settings:read'] })
    const listed = (await collectPages(context.client.apiKeys.list({ limit: 1000 }), idOf, maxSharedPages)).flat()
    assertIncludes(
      listed.find(({ id }) => id === created.id),
      { scopes: ['settings:read'] },
      'the created key',
    )
    assert(!JSON.stringify(listed).includes(created.key), 'the list must not contain a secret')
  }),

  scenario('apiKeys.delete', 204, 'immediately revokes a key and the keys it created', async (context) => {
    const expires_at = await context.serverTime(3_600_000)
    const parent = await context.createKey({ scopes: ['settings:read', 'keys:write'], expires_at })
    const child = await context.http.expect('apiKeys.create', 201, { json: { name: context.uniqueName() }, key: parent.key })
    assertEqual(child.json.scopes, ['settings:read', 'keys:write'], 'the default scopes of a child key')
    const isLimited = child.json.expires_at !== null && child.json.expires_at <= expires_at
    assert(isLimited, 'a key must not expire later than its creator', child.json.expires_at)
    const grandchild = await context.http.expect('apiKeys.create', 201, { json: { name: context.uniqueName() }, key: child.json.key })
    await context.client.apiKeys.delete(parent.id)
    for (const key of [parent.key, child.json.key, grandchild.json.key])
      await context.http.expect('projects.list', 401, { key }, 'unauthenticated')
    await context.expectFailure(context.client.apiKeys.delete(parent.id), 404, 'not_found')
  }),

  scenario('apiKeys.delete', 403, 'does not let a key revoke a key with more permissions or a later expiry', async (context) => {
    const expires_at = await context.serverTime(3_600_000)
    const parent = await context.createKey({})
    const limited = await context.http.expect('apiKeys.create', 201, {
      json: { name: context.uniqueName(), scopes: ['keys:write'] },
      key: parent.key,
    })
    const short = await context.createKey({ scopes: ['keys:write'], expires_at })
    const forbidden = [
      { id: parent.id, key: limited.json.key },
      { id: (await context.createKey({ scopes: ['notifications:read'] })).id, key: limited.json.key },
      { id: limited.json.id, key: short.key },
    ]
    for (const { id, key } of forbidden) await context.http.expect('apiKeys.delete', 403, { params: { key_id: id }, key }, 'scope_missing')
    await context.http.expect('projects.list', 200, { key: parent.key, query: { limit: '1' } })
  }),

  scenario(
    'apiKeys.delete',
    204,
    'lets a key revoke itself, its descendants, and keys with the same or fewer permissions',
    async (context) => {
      const scopes = ['keys:write', 'settings:read'] as const
      const parent = await context.createKey({ scopes })
      const child = await context.http.expect('apiKeys.create', 201, { json: { name: context.uniqueName() }, key: parent.key })
      const grandchild = await context.http.expect('apiKeys.create', 201, { json: { name: context.uniqueName() }, key: child.json.key })
      const sibling = await context.createKey({ scopes: ['keys:write'] })
      for (const { id } of [grandchild.json, sibling, parent])
        await context.http.expect('apiKeys.delete', 204, { params: { key_id: id }, key: parent.key })
      await context.http.expect('projects.list', 401, { key: child.json.key }, 'unauthenticated')
    },
  ),
]
