import { equal, holds } from '../failure.ts'
import { type Scenario, scenario } from '../scenario.ts'

/** What holds whatever is requested. */
export const transportScenarios: readonly Scenario[] = [
  scenario(null, 404, 'answers a path that leads nowhere with a problem', async ({ http }) => {
    const answer = await http.raw('GET', '/v1/nothing-here')
    equal([answer.status, answer.json?.code], [404, 'not_found'], 'status and code')
  }),

  scenario(null, 404, 'answers a path that cannot be decoded with a problem', async ({ http }) => {
    const answer = await http.raw('GET', '/v1/settings/projects/%zz')
    equal([answer.status, answer.json?.code], [404, 'not_found'], 'status and code')
  }),

  scenario(null, 405, 'names the methods that a resource has in Allow', async ({ http }) => {
    const answer = await http.raw('PATCH', '/v1/settings/projects')
    equal([answer.status, answer.json?.code], [405, 'method_not_allowed'], 'status and code')
    const allowed = (answer.headers.get('allow') ?? '').split(/,\s*/).sort()
    equal(allowed, ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST'], 'Allow')
  }),

  scenario(null, 200, 'answers HEAD as GET, without a body', async ({ http }) => {
    const answer = await http.raw('HEAD', '/v1/settings/projects')
    equal([answer.status, answer.text], [200, ''], 'status and body')
  }),

  scenario(null, 200, 'keeps a sane X-Request-Id and replaces another', async ({ http }) => {
    const kept = await http.raw('GET', '/v1/settings/providers', { headers: { 'x-request-id': 'conformance-1' } })
    equal(kept.headers.get('x-request-id'), 'conformance-1', 'X-Request-Id')
    const replaced = await http.raw('GET', '/v1/settings/providers', { headers: { 'x-request-id': 'not "sane"' } })
    holds(replaced.headers.get('x-request-id') !== 'not "sane"', 'an X-Request-Id that could forge a line of a log is replaced')
  }),

  scenario(null, 200, 'tells browsers to keep and to guess nothing', async ({ http }) => {
    const { headers } = await http.raw('GET', '/v1/settings/projects')
    const seen = { 'cache-control': headers.get('cache-control'), 'x-content-type-options': headers.get('x-content-type-options') }
    equal(seen, { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }, 'headers')
  }),
]
