import { isSchema, type NamedRoute, operations } from '../../http/operations.ts'
import { equal, holds, includes } from '../failure.ts'
import { samples } from '../samples.ts'
import { type Scenario, scenario } from '../scenario.ts'

const withBody = operations.filter(({ route }) => isSchema(route.body))
const withoutBody = operations.filter(({ route }) => route.method === 'POST' && !isSchema(route.body))
const lists = operations.filter(({ operation }) => /\.(?:list|deliveries)$/.test(operation))
const withHeader = (name: string) => operations.filter(({ route }) => route.headers && name in route.headers)

const jsonHeaders = { 'content-type': 'application/json' }

const invalidJson = ({ operation }: NamedRoute): Scenario =>
  scenario(operation, 400, 'refuses a body that is not JSON', async (context) => {
    const { params = {} } = await samples[operation](context)
    for (const body of ['{"name":', ' ', '{"a":{"__proto__":1}}', new Uint8Array([0x22, 0xff, 0x22])])
      await context.http.expect(operation, 400, { params, body, headers: jsonHeaders }, 'invalid_json')
  })

const malformedHeader =
  (name: string, value: string) =>
  (named: NamedRoute): Scenario =>
    scenario(named.operation, 400, `refuses a malformed ${name}`, async (context) => {
      const sample = await samples[named.operation](context)
      const answer = await context.http.expect(named.operation, 400, { ...sample, headers: { [name]: value } }, 'malformed_header')
      includes(answer.json.errors, [{ in: 'header', pointer: `/${name}` }], 'errors')
    })

const invalidCursor = ({ operation }: NamedRoute): Scenario =>
  scenario(operation, 400, 'refuses a cursor that it never gave', async (context) => {
    const sample = await samples[operation](context)
    for (const cursor of ['nonsense', 'AAAA', ''])
      await context.http.expect(operation, 400, { ...sample, query: { ...sample.query, cursor } }, 'invalid_cursor')
  })

const tooLarge = ({ operation }: NamedRoute): Scenario =>
  scenario(operation, 413, 'refuses a body over the limit', async (context) => {
    const { params = {} } = await samples[operation](context)
    const body = JSON.stringify({ name: 'x'.repeat(context.target.bodyLimitBytes ?? 1_048_576) })
    await context.http.expect(operation, 413, { params, body, headers: jsonHeaders }, 'body_too_large')
  })

const notJson = ({ operation }: NamedRoute): Scenario =>
  scenario(operation, 415, 'refuses a body of another media type', async (context) => {
    const { params = {} } = await samples[operation](context)
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1'])
      await context.http.expect(operation, 415, { params, body: '{}', headers: { 'content-type': type } }, 'unsupported_media_type')
    const headers = { ...jsonHeaders, 'content-encoding': 'gzip' }
    await context.http.expect(operation, 415, { params, body: '{}', headers }, 'unsupported_media_type')
  })

const unknownField = ({ operation }: NamedRoute): Scenario =>
  scenario(operation, 422, 'refuses a field that it does not know, and none at all', async (context) => {
    const { params = {}, json } = await samples[operation](context)
    const answer = await context.http.expect(operation, 422, { params, json: { ...(json as object), colour: 'red' } }, 'validation_failed')
    includes(answer.json.errors, [{ in: 'body', pointer: '/colour', code: 'unknown_field' }], 'errors')
    const empty = await context.http.expect(operation, 422, { params }, 'validation_failed')
    includes(empty.json.errors[0], { in: 'body', code: 'required' }, 'the fault of a missing body')
    await context.http.expect(operation, 422, { params, json: [] }, 'validation_failed')
  })

const unknownParameter = ({ operation }: NamedRoute): Scenario =>
  scenario(operation, 422, 'refuses a query parameter that it does not know', async (context) => {
    const sample = await samples[operation](context)
    const answer = await context.http.expect(operation, 422, { ...sample, query: { ...sample.query, colour: 'red' } }, 'validation_failed')
    includes(answer.json.errors, [{ in: 'query', pointer: '/colour', code: 'unknown_field' }], 'errors')
  })

const invalidText = ({ operation }: NamedRoute): Scenario =>
  scenario(operation, 422, 'refuses U+0000 and lone surrogates wherever they are', async (context) => {
    const { params = {}, json } = await samples[operation](context)
    const body = { ...(json as object), a: { '\u0000': ['\ud800', 'fine'] } }
    const answer = await context.http.expect(operation, 422, { params, json: body }, 'validation_failed')
    const faults = answer.json.errors.filter(({ code }: { code: string }) => code === 'invalid_text')
    equal(faults.map(({ pointer }: { pointer: string }) => pointer).sort(), ['/a/\u0000', '/a/\u0000/0'], 'errors')
  })

const unwantedBody = ({ operation }: NamedRoute): Scenario =>
  scenario(operation, 422, 'refuses a body, because it would drop it silently', async (context) => {
    const { params = {} } = await samples[operation](context)
    const answer = await context.http.expect(operation, 422, { params, json: { force: true } }, 'validation_failed')
    includes(answer.json.errors, [{ in: 'body', pointer: '', code: 'unknown_field' }], 'errors')
  })

const badLimit = ({ operation }: NamedRoute): Scenario =>
  scenario(operation, 422, 'refuses a limit out of its range', async (context) => {
    const sample = await samples[operation](context)
    for (const limit of ['0', '1001', '1e2', '-1', 'ten']) {
      const answer = await context.http.expect(operation, 422, { ...sample, query: { ...sample.query, limit } }, 'validation_failed')
      equal(
        answer.json.errors.map(({ pointer }: { pointer: string }) => pointer),
        ['/limit'],
        `errors for limit=${limit}`,
      )
    }
    const twice = await context.http.expect(operation, 422, { ...sample, query: { ...sample.query, limit: '0', colour: 'red' } })
    holds(twice.json.errors.length === 2, 'every fault is told at once', twice.json.errors)
  })

/** What every operation refuses in what it is given. */
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
