import { scopes } from '@flowpost/contract'
import { type NamedRoute, operations } from '../../http/operations.ts'
import { holds } from '../failure.ts'
import { samples, unknownId } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const paramNames = (path: string): string[] => [...path.matchAll(/:([a-z_]+)/g)].flatMap(([, name]) => name ?? [])

// A credential is looked at before anything else, so none of these need exist.
const anywhere = ({ route }: NamedRoute) => ({
  params: Object.fromEntries(paramNames(route.path).map((name) => [name, name === 'source_type' ? 'smtp' : unknownId('project')])),
})

const unauthenticated = (named: NamedRoute): Scenario =>
  scenario(named.operation, 401, 'refuses a request without a valid credential', async ({ http }) => {
    // No token that is merely wrong: servers limit how many of those an address may try.
    const headers = [{}, { authorization: 'Basic dXNlcjpwYXNz' }, { authorization: 'Bearer' }]
    for (const each of headers) {
      const answer = await http.expect(named.operation, 401, { ...anywhere(named), key: null, headers: each }, 'unauthenticated')
      const challenge = answer.headers.get('www-authenticate') ?? ''
      holds(challenge.startsWith('Bearer'), 'a 401 names the scheme in WWW-Authenticate', challenge)
    }
  })

const scopeMissing = (named: NamedRoute): Scenario =>
  scenario(named.operation, 403, 'refuses a credential without the scope, before it looks anything up', async (context) => {
    const { scope } = named.route.metadata
    const { key } = await context.key({ scopes: scopes.filter((each) => each !== scope) })
    const answer = await context.http.expect(named.operation, 403, { ...anywhere(named), key }, 'scope_missing')
    holds(answer.json.detail.includes(scope), 'the problem names the scope', answer.json.detail)
  })

const inPath = operations.filter(({ route }) => paramNames(route.path).length > 0)

const unknown = (named: NamedRoute): Scenario =>
  scenario(named.operation, 404, 'answers an id that is unknown or malformed', async (context) => {
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
    "answers another user's id as one that is unknown",
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
  'refuses the cursor of another user',
  async (context) => {
    await Promise.all([context.project(), context.project()])
    const { next_cursor } = await context.client.projects.list({ limit: 1 })
    await context.fails(context.otherClient().projects.list({ cursor: next_cursor ?? '' }), 400, 'invalid_cursor')
  },
  ['otherApiKey'],
)

/** Who may call an operation, and what they may know of. */
export const accessScenarios: readonly Scenario[] = [
  ...operations.map(unauthenticated),
  scenario('projects.list', 401, 'refuses a token that is unknown', async ({ http }) => {
    const answer = await http.expect('projects.list', 401, { key: 'fp_unknown' }, 'unauthenticated')
    const challenge = answer.headers.get('www-authenticate') ?? ''
    // RFC 6750, section 3.1.
    holds(challenge.includes('error="invalid_token"'), 'a 401 to a wrong token says so in WWW-Authenticate', challenge)
  }),
  ...operations.map(scopeMissing),
  ...inPath.map(unknown),
  ...inPath.map(foreign),
  cursorOfAnother,
]
