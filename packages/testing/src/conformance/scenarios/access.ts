import { scopes } from '@flowpost/contract'
import { type NamedRoute, operations } from '../../http/operations.ts'
import { assert } from '../assertions.ts'
import { samples, unknownId } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const paramNames = (path: string): string[] => [...path.matchAll(/:([a-z_]+)/g)].flatMap(([, name]) => name ?? [])

// Servers check credentials and scopes before they look up a resource, so these ids need not exist.
const withUnknownIds = ({ route }: NamedRoute) => ({
  params: Object.fromEntries(paramNames(route.path).map((name) => [name, name === 'source_type' ? 'smtp' : unknownId('project')])),
})

const unauthenticated = (named: NamedRoute): Scenario =>
  scenario(named.operation, 401, 'rejects a request without a valid credential', async ({ http }) => {
    // Sends no invalid tokens, because servers limit failed authentications per client address.
    const headers = [{}, { authorization: 'Basic dXNlcjpwYXNz' }, { authorization: 'Bearer' }]
    for (const each of headers) {
      const response = await http.expect(named.operation, 401, { ...withUnknownIds(named), key: null, headers: each }, 'unauthenticated')
      const challenge = response.headers.get('www-authenticate') ?? ''
      assert(challenge.startsWith('Bearer'), 'a 401 response must name the Bearer scheme in WWW-Authenticate', challenge)
    }
  })

const scopeMissing = (named: NamedRoute): Scenario =>
  scenario(named.operation, 403, 'rejects a credential without the required scope before reading any data', async (context) => {
    const { scope } = named.route.metadata
    const { key } = await context.createKey({ scopes: scopes.filter((each) => each !== scope) })
    const response = await context.http.expect(named.operation, 403, { ...withUnknownIds(named), key }, 'scope_missing')
    assert(response.json.detail.includes(scope), 'the problem must name the scope', response.json.detail)
    const challenge = response.headers.get('www-authenticate') ?? ''
    // RFC 6750, section 3.1.
    const isComplete = challenge.includes('error="insufficient_scope"') && challenge.includes(`scope="${scope}"`)
    assert(isComplete, 'a 403 response must name the error and the scope in WWW-Authenticate', challenge)
  })

const inPath = operations.filter(({ route }) => paramNames(route.path).length > 0)

const unknown = (named: NamedRoute): Scenario =>
  scenario(named.operation, 404, 'returns not_found for an unknown or malformed id', async (context) => {
    const sample = await samples[named.operation](context)
    for (const name of paramNames(named.route.path)) {
      const given = sample.params?.[name] ?? ''
      const wrong =
        name === 'source_type' ? ['pigeon', 'a b', '%'] : [`${given.slice(0, 4)}0000000001e008000000000000`, 'nonsense', `${given}0`]
      for (const value of wrong)
        await context.http.expect(named.operation, 404, { ...sample, params: { ...sample.params, [name]: value } }, 'not_found')
    }
  })

const foreign = (named: NamedRoute): Scenario =>
  scenario(
    named.operation,
    404,
    "returns not_found for another user's resource",
    async (context) => {
      const sample = await samples[named.operation](context)
      const key = context.target.otherApiKey ?? null
      await context.http.expect(named.operation, 404, { ...sample, key }, 'not_found')
    },
    ['otherApiKey'],
  )

const cursorOfAnother = scenario(
  'projects.list',
  400,
  "rejects another user's cursor",
  async (context) => {
    await Promise.all([context.createProject(), context.createProject()])
    const { next_cursor } = await context.client.projects.list({ limit: 1 })
    await context.expectFailure(context.otherClient().projects.list({ cursor: next_cursor ?? '' }), 400, 'invalid_cursor')
  },
  ['otherApiKey'],
)

/** Scenarios about authentication, scopes and resource access. */
export const accessScenarios: readonly Scenario[] = [
  ...operations.map(unauthenticated),
  scenario('projects.list', 401, 'rejects an unknown token', async ({ http }) => {
    const response = await http.expect('projects.list', 401, { key: 'fp_unknown' }, 'unauthenticated')
    const challenge = response.headers.get('www-authenticate') ?? ''
    // RFC 6750, section 3.1.
    assert(
      challenge.includes('error="invalid_token"'),
      'a 401 response to an invalid token must have error="invalid_token" in WWW-Authenticate',
      challenge,
    )
  }),
  ...operations.map(scopeMissing),
  ...inPath.map(unknown),
  ...inPath.map(foreign),
  cursorOfAnother,
]
