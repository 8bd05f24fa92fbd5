import { assert, assertEqual, assertIncludes, ConformanceFailure } from '../assertions.ts'
import { collectIds, maxSharedPages } from '../pages.ts'
import { type Scenario, scenario } from '../scenario.ts'

const pollMs = 1_000

/** Scenarios about the permissions and lifetime of API keys. */
export const keyLifetimeScenarios: readonly Scenario[] = [
  scenario('apiKeys.create', 201, "gives a key its creator's scopes, project and expiry by default", async (context) => {
    const project = await context.createProject()
    const expires_at = await context.serverTime(3_600_000)
    const inherited = { scopes: ['settings:read', 'keys:write'] as const, project_id: project.id, expires_at }
    const { key } = await context.createKey(inherited)
    const child = await context.http.expect('apiKeys.create', 201, { json: { name: context.uniqueName() }, key })
    assertIncludes(child.json, inherited, 'the created key')
    assertIncludes((await context.http.expect('apiKeys.list', 200, { key })).json.data[1], inherited, 'the created key in the list')
    await context.http.expect('projects.create', 403, { json: { name: context.uniqueName() }, key: child.json.key }, 'scope_missing')
  }),

  scenario(
    'apiKeys.list',
    200,
    "omits revoked keys and other users' keys from the list",
    async (context) => {
      const [revoked, valid] = [await context.createKey({}), await context.createKey({})]
      await context.client.apiKeys.delete(revoked.id)
      const [own, others] = [
        (await collectIds(context.client.apiKeys.list({ limit: 1000 }), maxSharedPages)).flat(),
        (await collectIds(context.otherClient().apiKeys.list({ limit: 1000 }), maxSharedPages)).flat(),
      ]
      assertEqual([own.includes(revoked.id), own.includes(valid.id)], [false, true], 'whether the revoked and the valid key are listed')
      assert(!others.includes(valid.id), "the list must not contain another user's key")
    },
    ['otherApiKey'],
  ),

  {
    ...scenario('apiKeys.list', 200, 'returns when a key was last used', async (context) => {
      const { id, key } = await context.createKey({})
      const usedAt = Date.parse(await context.serverTime(0))
      await context.http.expect('providers.list', 200, { key })
      const findKey = async () => {
        for await (const found of context.client.apiKeys.list({ limit: 1000 })) if (found.id === id) return found
        throw new ConformanceFailure(`The list must contain the key ${id}.`)
      }
      let last = (await findKey()).last_used_at
      for (; last === null; last = (await findKey()).last_used_at) await new Promise((resolve) => setTimeout(resolve, pollMs))
      assert(Math.abs(Date.parse(last) - usedAt) <= 120_000, 'last_used_at must be the time of the last use, to about a minute', last)
    }),
    // A server may store the time about a minute after the use.
    timeoutMs: 100_000,
  },

  scenario('apiKeys.delete', 403, 'does not let a key revoke another key that expires later', async (context) => {
    const scopes = ['keys:write'] as const
    const [first, second, third] = await Promise.all([1, 2, 3].map((hours) => context.serverTime(hours * 3_600_000)))
    const earlier = await context.createKey({ scopes, expires_at: first ?? '' })
    const { key } = await context.createKey({ scopes, expires_at: second ?? '' })
    const later = await context.createKey({ scopes, expires_at: third ?? '' })
    await context.http.expect('apiKeys.delete', 403, { params: { key_id: later.id }, key }, 'scope_missing')
    await context.http.expect('apiKeys.delete', 204, { params: { key_id: earlier.id }, key })
  }),

  scenario('projects.delete', 204, 'immediately revokes the API keys that are bound to the project', async (context) => {
    const project = await context.createProject()
    const { key } = await context.createKey({ project_id: project.id })
    await context.http.expect('projects.get', 200, { params: { project_id: project.id }, key })
    await context.client.projects.delete(project.id)
    await context.http.expect('providers.list', 401, { key }, 'unauthenticated')
  }),

  scenario('projects.list', 401, 'requires the Bearer scheme, in any letter case', async (context) => {
    const { apiKey } = context.target
    const request = (authorization: string) => ({ key: null, query: { limit: '1' }, headers: { authorization } })
    for (const scheme of ['bearer', 'BEARER']) await context.http.expect('projects.list', 200, request(`${scheme} ${apiKey}`))
    await context.http.expect('projects.list', 401, request(apiKey), 'unauthenticated')
  }),
]
