import { assert, assertEqual } from '../assertions.ts'
import { type Scenario, scenario } from '../scenario.ts'

/** Scenarios about HTTP behavior that does not depend on the operation. */
export const transportScenarios: readonly Scenario[] = [
  scenario(null, 404, 'returns not_found for an unknown path', async ({ http }) => {
    const response = await http.raw('GET', '/v1/nothing-here')
    assertEqual([response.status, response.json?.code], [404, 'not_found'], 'status and code')
  }),

  scenario(null, 404, 'returns not_found for a path that cannot be decoded', async ({ http }) => {
    const response = await http.raw('GET', '/v1/settings/projects/%zz')
    assertEqual([response.status, response.json?.code], [404, 'not_found'], 'status and code')
  }),

  scenario(null, 405, "lists a resource's methods in Allow", async ({ http }) => {
    const response = await http.raw('PATCH', '/v1/settings/projects')
    assertEqual([response.status, response.json?.code], [405, 'method_not_allowed'], 'status and code')
    const allowed = (response.headers.get('allow') ?? '').split(/,\s*/).sort()
    assertEqual(allowed, ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST'], 'the methods in Allow')
  }),

  scenario(null, 204, 'responds to OPTIONS with an Allow header and no body', async ({ http }) => {
    const { status, headers, text } = await http.raw('OPTIONS', '/v1/settings/projects')
    assertEqual([status, text], [204, ''], 'status and body')
    assertEqual((headers.get('allow') ?? '').split(/,\s*/).sort(), ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST'], 'the methods in Allow')
  }),

  scenario(null, 200, 'responds to HEAD as to GET, but without a body', async ({ http }) => {
    const response = await http.raw('HEAD', '/v1/settings/projects')
    assertEqual([response.status, response.text], [200, ''], 'status and body')
  }),

  scenario(null, 200, 'keeps a valid X-Request-Id and replaces an invalid one', async ({ http }) => {
    const response = await http.raw('GET', '/v1/settings/providers', { headers: { 'x-request-id': 'conformance-1' } })
    assertEqual(response.headers.get('x-request-id'), 'conformance-1', 'the X-Request-Id header')
    const replaced = await http.raw('GET', '/v1/settings/providers', { headers: { 'x-request-id': 'not "valid"' } })
    assert(replaced.headers.get('x-request-id') !== 'not "valid"', 'an X-Request-Id that could forge a log line must be replaced')
  }),

  scenario(null, 200, 'keeps an X-Request-Id of 128 characters and replaces a longer one', async ({ http }) => {
    const longest = 'a'.repeat(128)
    const idFor = async (id: string) =>
      (await http.raw('GET', '/v1/settings/providers', { headers: { 'x-request-id': id } })).headers.get('x-request-id') ?? ''
    assertEqual(await idFor(longest), longest, 'the X-Request-Id header')
    const replaced = await idFor(`${longest}a`)
    assert(replaced.length > 0 && !replaced.startsWith('aaaa'), 'an X-Request-Id of 129 characters must be replaced', replaced)
  }),

  scenario(null, 200, 'disables caching and content sniffing in browsers', async ({ http }) => {
    const { headers } = await http.raw('GET', '/v1/settings/projects')
    const seen = { 'cache-control': headers.get('cache-control'), 'x-content-type-options': headers.get('x-content-type-options') }
    assertEqual(seen, { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }, 'the headers')
  }),
]
