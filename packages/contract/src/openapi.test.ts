import { describe, expect, it } from 'vitest'
import type { z } from 'zod'
import * as contract from './index.ts'

const { createOpenApiDocument, problems } = contract
const document = createOpenApiDocument({ version: '1.2.3' })
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
)
const operation = (id: string) => {
  const found = operations.find(({ operation: { operationId } }) => operationId === id)
  if (!found) throw new Error(`There is no operation ${id}.`)
  return found.operation
}

interface Answer {
  readonly $ref?: string
  readonly headers?: Record<string, unknown>
  readonly content?: Record<string, { schema: { $ref?: string; allOf?: { properties?: { code: { enum: string[] } } }[] } }>
}
const answer = (id: string, status: number): Answer => {
  const found = operation(id).responses[status] as Answer
  return found.$ref ? (document.components.responses[found.$ref.split('/').at(-1) ?? ''] as Answer) : found
}
const codesOf = (each: Answer) => each.content?.['application/problem+json']?.schema.allOf?.[1]?.properties?.code.enum

/** Every `$ref` in a value. */
const references = (value: unknown): string[] => {
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, inner]) => (key === '$ref' && typeof inner === 'string' ? [inner] : references(inner)))
}

describe('the OpenAPI document', () => {
  it('has every operation of the contract, named after its place in it', () => {
    expect(operations.map(({ method, path, operation: { operationId } }) => `${operationId} ${method} ${path}`)).toEqual(
      expect.arrayContaining([
        'projects.create post /v1/settings/projects',
        'projects.deleteByQuery delete /v1/settings/projects',
        'flows.patch patch /v1/settings/projects/{project_id}/flows/{flow_id}',
        'notifications.send post /v1/notifications',
      ]),
    )
    expect(operations).toHaveLength(Object.values(contract.api).flatMap((group) => Object.values(group)).length)
    expect(new Set(operations.map(({ operation: { operationId } }) => operationId)).size).toBe(operations.length)
  })

  it('points only at components that it has, and has none that nothing points at', () => {
    const wanted = new Set(references(document))
    const has = Object.entries(document.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, each]) => Object.keys(each).map((name) => `#/components/${kind}/${name}`))
    expect([...wanted].sort()).toEqual(has.sort())
  })

  it('tells input and answer apart: defaults are optional in a request and present in an answer', () => {
    const { FlowCreate, Flow } = document.components.schemas as Record<string, Record<string, unknown>>
    expect(FlowCreate?.required).toEqual(['name', 'source_type', 'target'])
    expect(FlowCreate?.additionalProperties).toBe(false)
    expect(FlowCreate?.properties).toMatchObject({
      active: { type: 'boolean', default: true },
      message_template: { default: '{{message}}' },
    })
    expect(Flow?.required).toEqual(expect.arrayContaining(['active', 'message_template', 'warnings', 'updated_at']))
    expect(Flow).not.toHaveProperty('additionalProperties')
  })

  it('shows whole numbers of the query with their limits and default', () => {
    expect(operation('projects.list').parameters).toContainEqual({
      name: 'limit',
      in: 'query',
      required: false,
      description:
        'The most resources of the page, 1 to 1000. A page ends early, at about 1 MiB, so only a `next_cursor` of `null` says that it is the last one.',
      schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
    })
    expect(operation('notifications.get').parameters.find(({ name }) => name === 'wait')?.schema).toEqual({
      type: 'integer',
      minimum: 1,
      maximum: 60,
    })
  })

  it('names path, query and header parameters, and which of them are needed', () => {
    expect(operation('projects.deleteByQuery').parameters.map((each) => [each.in, each.name, each.required])).toEqual([
      ['query', 'project_id', true],
      ['header', 'If-Match', false],
    ])
    expect(operation('flows.get').parameters.map((each) => [each.in, each.name, each.required])).toEqual([
      ['path', 'project_id', true],
      ['path', 'flow_id', true],
      ['header', 'If-None-Match', false],
    ])
  })

  it('gives for each status exactly the problem codes that the operation declares', () => {
    for (const { operation: each } of operations) {
      const [group = '', key = ''] = each.operationId.split('.')
      const routes = contract.api as unknown as Record<string, Record<string, { metadata: { problems: contract.ProblemCode[] } }>>
      const declared = new Set(routes[group]?.[key]?.metadata.problems)
      const documented = Object.keys(each.responses)
        .filter((status) => Number(status) >= 400)
        .flatMap((status) => {
          const codes = codesOf(answer(each.operationId, Number(status))) ?? []
          for (const code of codes)
            expect(problems[code as contract.ProblemCode].status, `${each.operationId} ${code}`).toBe(Number(status))
          return codes
        })
      expect(documented.sort(), each.operationId).toEqual([...declared].sort())
    }
  })

  it('says which headers an answer carries', () => {
    const names = (id: string, status: number) => Object.keys(answer(id, status).headers ?? {})
    expect(names('projects.create', 201)).toEqual(expect.arrayContaining(['X-Request-Id', 'Location', 'ETag', 'Idempotency-Replayed']))
    expect(names('notifications.send', 202)).toEqual(expect.arrayContaining(['Location', 'Idempotency-Replayed']))
    expect(names('notifications.send', 202)).not.toContain('ETag')
    expect(names('flows.get', 304)).toContain('ETag')
    expect(names('flows.list', 200)).not.toContain('ETag')
    expect(names('flows.list', 401)).toContain('WWW-Authenticate')
    expect(names('flows.list', 429)).toEqual(expect.arrayContaining(['Retry-After', 'RateLimit', 'RateLimit-Policy']))
    expect(names('flows.list', 503)).toContain('Retry-After')
    // A key's secret is shown once, so its answer cannot be given again.
    expect(names('apiKeys.create', 201)).not.toContain('Idempotency-Replayed')
    for (const { operation: each } of operations)
      for (const status of Object.keys(each.responses))
        expect(names(each.operationId, Number(status)), each.operationId).toContain('X-Request-Id')
  })

  it('names the scope of each operation for both kinds of credential', () => {
    expect(operation('notifications.send').security).toEqual([{ apiKey: ['notifications:send'] }, { oidc: ['notifications:send'] }])
    expect(document.components.securitySchemes).toMatchObject({ apiKey: { type: 'http', scheme: 'bearer' }, oidc: { scheme: 'bearer' } })
    const { oidc } = createOpenApiDocument({ version: '1', oidcIssuer: 'https://login.example.com/' }).components.securitySchemes
    expect(oidc).toMatchObject({
      type: 'openIdConnect',
      openIdConnectUrl: 'https://login.example.com/.well-known/openid-configuration',
    })
  })

  it('has the version, the server and the providers of a deployment', () => {
    const own = createOpenApiDocument({ version: '9.9.9', serverUrl: 'https://flowpost.example.com', sourceTypes: ['smtp', 'telegram'] })
    expect(own).toMatchObject({ openapi: '3.1.1', info: { version: '9.9.9' }, servers: [{ url: 'https://flowpost.example.com' }] })
    const { FlowCreate, FlowPatch, Flow } = own.components.schemas as Record<string, { properties: Record<string, object> }>
    for (const schema of [FlowCreate, FlowPatch, Flow])
      expect(schema?.properties.source_type).toMatchObject({
        'x-extensible-enum': ['smtp', 'telegram'],
        examples: ['smtp', 'telegram'],
        description: expect.stringContaining('`telegram`'),
      })
    const { parameters } = own.paths['/v1/settings/projects/{project_id}/integrations/{source_type}']?.get ?? { parameters: [] }
    expect(parameters.find(({ name }) => name === 'source_type')?.schema).toMatchObject({ 'x-extensible-enum': ['smtp', 'telegram'] })
    expect(JSON.stringify(document)).not.toContain('telegram')
  })

  it('says that a request which was answered with `unavailable` may have been stored, and how to repeat it', () => {
    const stored = 'The request may have been stored. Repeating it with the same Idempotency-Key is safe.'
    expect(answer('notifications.send', 503)).toMatchObject({
      description: expect.stringContaining(`\`unavailable\`: The server cannot answer now. ${stored}`),
    })
    expect(document.components.examples.unavailable).toMatchObject({ value: { detail: expect.stringContaining(stored) } })
    expect(document.info).toMatchObject({ description: expect.stringContaining('may have\nbeen stored') })
  })

  it('gives examples that its schemas accept', () => {
    const schemas = Object.values(contract).filter((each): each is z.ZodType & typeof each => typeof each === 'object' && '_zod' in each)
    const examples = schemas.flatMap((schema) => ((schema.meta()?.examples ?? []) as unknown[]).map((example) => ({ schema, example })))
    expect(examples.length).toBeGreaterThan(6)
    for (const { schema, example } of examples) expect(schema.safeParse(example).error, JSON.stringify(example)).toBeUndefined()
  })
})
