import { expect, test } from 'vitest'
import type { z } from 'zod'
import { api as contract, createOpenApiDocument } from '../index.ts'
import { bodyOf, describeApi, type Operation, successesOf } from './api-description.ts'
import { curlSample, exampleOf, parseSdkExamples } from './samples.ts'

const api = describeApi(createOpenApiDocument({ version: '1.0.0' }))

const operationOf = (id: string): Operation => {
  const operation = api.operations.find(({ operationId }) => operationId === id)
  if (!operation) throw new Error(`There is no operation ${id}.`)
  return operation
}

test('a curl command contains the path, the credential and the body', () => {
  expect(curlSample(api, operationOf('projects.create'))).toBe(`curl "$FLOWPOST_BASE_URL/v1/settings/projects" \\
  -H "Authorization: Bearer $FLOWPOST_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "name": "billing"
  }'`)
})

test('a curl command names a method that curl would not choose by default, and fills in parameters', () => {
  expect(curlSample(api, operationOf('projects.delete'))).toMatch(
    /^curl -X DELETE "\$FLOWPOST_BASE_URL\/v1\/settings\/projects\/prj_\w{26}" /,
  )
  expect(curlSample(api, operationOf('projects.deleteByQuery'))).toContain('/v1/settings/projects?project_id=prj_')
})

test('a curl command quotes its body so that a shell passes it unchanged', () => {
  const body = { message_template: "it's '{{subject}}'" }
  const operation = operationOf('flows.create')
  const requestBody = { content: { 'application/json': { schema: { examples: [body] } } } }
  const quoted = /-d ('[\s\S]*')$/.exec(curlSample(api, { ...operation, requestBody }))?.[1] ?? ''
  // In a shell, `'"'"'` ends the string, adds a quote and continues the string.
  const read = quoted.replaceAll(`'"'"'`, '\0').replaceAll("'", '').replaceAll('\0', "'")
  expect(JSON.parse(read)).toEqual(body)
})

test('a schema without an example gets one that is composed from its required fields', () => {
  const schema = {
    properties: { a: { type: 'integer' }, b: { $ref: '#/components/schemas/Project' }, c: { type: 'string' }, d: { default: 'x' } },
    required: ['a', 'b', 'd'],
  }
  expect(exampleOf(api, schema)).toEqual({ a: 1, b: expect.objectContaining({ name: 'billing' }), d: 'x' })
  expect(exampleOf(api, { type: 'string', 'x-extensible-enum': ['first', 'second'] })).toBe('first')
  expect(exampleOf(api, { type: 'object' })).toEqual({})
  expect(exampleOf(api, { items: { enum: ['first', 'second'] } })).toEqual(['first'])
})

/** The schemas of an operation in the contract. */
interface OperationSchemas {
  readonly body?: z.ZodType
  readonly responses: Readonly<Record<string, z.ZodType>>
}

test.each(api.operations.map((operation) => [operation.operationId, operation] as const))(
  'the samples of %s are accepted by its schemas',
  (id, operation) => {
    const [group = '', name = ''] = id.split('.')
    const schemas = (contract as unknown as Record<string, Record<string, OperationSchemas>>)[group]?.[name]
    const issuesOf = (schema: z.ZodType | undefined, sample: unknown) =>
      schema?.safeParse(sample).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []
    const body = bodyOf(operation)
    if (body) expect(issuesOf(schemas?.body, exampleOf(api, body))).toEqual([])
    for (const { status, schema } of successesOf(operation))
      if (schema) expect(issuesOf(schemas?.responses[status], exampleOf(api, schema)), status).toEqual([])
  },
)

test('SDK examples are found by the operation id in their heading', () => {
  const page = '## Flows\n\n### flows.get\n\n```ts\nawait a()\nawait b()\n```\n\n### flows.list\n\n```ts\nawait c()\n```\n'
  expect([...parseSdkExamples(page)]).toEqual([
    ['flows.get', 'await a()\nawait b()'],
    ['flows.list', 'await c()'],
  ])
})
