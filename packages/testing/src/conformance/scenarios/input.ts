import { isSchema, type NamedRoute, operations } from '../../http/operations.ts'
import { assert, assertEqual, assertIncludes } from '../assertions.ts'
import { samples } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const withBody = operations.filter(({ route }) => isSchema(route.body))
const withoutBody = operations.filter(({ route }) => route.method === 'POST' && !isSchema(route.body))
const lists = operations.filter(({ operation }) => /\.(?:list|deliveries|history)$/.test(operation))
const withHeader = (name: string) => operations.filter(({ route }) => route.headers && name in route.headers)

const jsonHeaders = { 'content-type': 'application/json' }

const invalidJson = ({ operation }: NamedRoute): Scenario =>
  scenario(operation, 400, 'rejects a body that is not JSON or has the key __proto__', async (context) => {
    const { params = {} } = await samples[operation](context)
    for (const body of ['{"name":', ' ', '{"a":{"__proto__":1}}', new Uint8Array([0x22, 0xff, 0x22])])
      await context.http.expect(operation, 400, { params, body, headers: jsonHeaders }, 'invalid_json')
  })

const malformedHeader =
  (name: string, value: string) =>
  (named: NamedRoute): Scenario =>
    scenario(named.operation, 400, `rejects a malformed ${name}`, async (context) => {
      const sample = await samples[named.operation](context)
      const response = await context.http.expect(named.operation, 400, { ...sample, headers: { [name]: value } }, 'malformed_header')
      assertIncludes(response.json.errors, [{ in: 'header', pointer: `/${name}` }], 'errors')
    })

const invalidCursor = ({ operation }: NamedRoute): Scenario =>
  scenario(operation, 400, 'rejects an invalid cursor', async (context) => {
    const sample = await samples[operation](context)
    for (const cursor of ['nonsense', 'AAAA', ''])
      await context.http.expect(operation, 400, { ...sample, query: { ...sample.query, cursor } }, 'invalid_cursor')
  })

const tooLarge = ({ operation }: NamedRoute): Scenario =>
  scenario(operation, 413, 'rejects a body above the size limit', async (context) => {
    const { params = {} } = await samples[operation](context)
    const body = JSON.stringify({ name: 'x'.repeat(context.target.bodyLimitBytes ?? 1_048_576) })
    await context.http.expect(operation, 413, { params, body, headers: jsonHeaders }, 'body_too_large')
  })

const notJson = ({ operation }: NamedRoute): Scenario =>
  scenario(operation, 415, 'rejects a body with an unsupported media type or content encoding', async (context) => {
    const { params = {} } = await samples[operation](context)
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1'])
      await context.http.expect(operation, 415, { params, body: '{}', headers: { 'content-type': type } }, 'unsupported_media_type')
    const headers = { ...jsonHeaders, 'content-encoding': 'gzip' }
    await context.http.expect(operation, 415, { params, body: '{}', headers }, 'unsupported_media_type')
  })

const unknownField = ({ operation }: NamedRoute): Scenario =>
  scenario(operation, 422, 'rejects an unknown field and a missing body', async (context) => {
    const { params = {}, json } = await samples[operation](context)
    const response = await context.http.expect(
      operation,
      422,
      { params, json: { ...(json as object), colour: 'red' } },
      'validation_failed',
    )
    assertIncludes(response.json.errors, [{ in: 'body', pointer: '/colour', code: 'unknown_field' }], 'errors')
    const empty = await context.http.expect(operation, 422, { params }, 'validation_failed')
    assertIncludes(empty.json.errors[0], { in: 'body', code: 'required' }, 'the issue for a missing body')
    await context.http.expect(operation, 422, { params, json: [] }, 'validation_failed')
  })

const unknownParameter = ({ operation }: NamedRoute): Scenario =>
  scenario(operation, 422, 'rejects an unknown query parameter', async (context) => {
    const sample = await samples[operation](context)
    const response = await context.http.expect(
      operation,
      422,
      { ...sample, query: { ...sample.query, colour: 'red' } },
      'validation_failed',
    )
    assertIncludes(response.json.errors, [{ in: 'query', pointer: '/colour', code: 'unknown_field' }], 'errors')
  })

const invalidText = ({ operation }: NamedRoute): Scenario =>
  scenario(operation, 422, 'rejects U+0000 and lone surrogates anywhere in the body', async (context) => {
    const { params = {}, json } = await samples[operation](context)
    const body = { ...(json as object), a: { '\u0000': ['\ud800', 'fine'] } }
    const response = await context.http.expect(operation, 422, { params, json: body }, 'validation_failed')
    const issues = response.json.errors.filter(({ code }: { code: string }) => code === 'invalid_text')
    assertEqual(issues.map(({ pointer }: { pointer: string }) => pointer).sort(), ['/a/\u0000', '/a/\u0000/0'], 'errors')
  })

const unwantedBody = ({ operation }: NamedRoute): Scenario =>
  scenario(operation, 422, 'rejects an unexpected body', async (context) => {
    const { params = {} } = await samples[operation](context)
    const response = await context.http.expect(operation, 422, { params, json: { force: true } }, 'validation_failed')
    assertIncludes(response.json.errors, [{ in: 'body', pointer: '', code: 'unknown_field' }], 'errors')
  })

const badLimit = ({ operation }: NamedRoute): Scenario =>
  scenario(operation, 422, 'rejects an invalid limit', async (context) => {
    const sample = await samples[operation](context)
    for (const limit of ['0', '1001', '1e2', '-1', 'ten']) {
      const response = await context.http.expect(operation, 422, { ...sample, query: { ...sample.query, limit } }, 'validation_failed')
      assertEqual(
        response.json.errors.map(({ pointer }: { pointer: string }) => pointer),
        ['/limit'],
        `the errors for limit=${limit}`,
      )
    }
    const twice = await context.http.expect(operation, 422, { ...sample, query: { ...sample.query, limit: '0', colour: 'red' } })
    assert(twice.json.errors.length === 2, 'all issues must be returned together', twice.json.errors)
  })

/** Scenarios about request validation. */
export const inputScenarios: readonly Scenario[] = [
  ...withBody.map(invalidJson),
  ...withHeader('idempotency-key').map(malformedHeader('idempotency-key', 'two words')),
  ...withHeader('if-match').map(malformedHeader('if-match', 'v1')),
  ...withHeader('if-none-match').map(malformedHeader('if-none-match', 'v1')),
  ...lists.map(invalidCursor),
  ...withBody.map(tooLarge),
  ...withBody.map(notJson),
  ...withBody.map(unknownField),
  ...operations.map(unknownParameter),
  ...withBody.map(invalidText),
  ...withoutBody.map(unwantedBody),
  ...lists.map(badLimit),
]
