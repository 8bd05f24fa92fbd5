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
  if (!found) throw new Error(`Operation ${id} not found.`)
  return found.operation
}

interface Response {
  readonly $ref?: string
  readonly headers?: Record<string, unknown>
  readonly content?: Record<string, { schema: { $ref?: string; allOf?: { properties?: { code: { enum: string[] } } }[] } }>
}
const responseOf = (id: string, status: number): Response => {
  const found = operation(id).responses[status] as Response
  return found.$ref ? (document.components.responses[found.$ref.split('/').at(-1) ?? ''] as Response) : found
}
const codesOf = (response: Response) => response.content?.['application/problem+json']?.schema.allOf?.[1]?.properties?.code.enum

/** Returns every `$ref` in a value. */
const references = (value: unknown): string[] => {
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, inner]) => (key === '$ref' && typeof inner === 'string' ? [inner] : references(inner)))
}

describe('the OpenAPI document', () => {
  it('has every operation of the contract, named by its router keys', () => {
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

  it('references exactly the components that it has', () => {
    const wanted = new Set(references(document))
    const has = Object.entries(document.components)
      .filter(([kind]) => kind !== 'securitySchemes')
      .flatMap(([kind, each]) => Object.keys(each).map((name) => `#/components/${kind}/${name}`))
    expect([...wanted].sort()).toEqual(has.sort())
  })

  it('distinguishes requests from responses: defaults are optional in requests and present in responses', () => {
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

  it('describes query integers with their limits and default', () => {
    expect(operation('projects.list').parameters).toContainEqual({
      name: 'limit',
      in: 'query',
      required: false,
      description:
        'The maximum number of resources per page, 1 to 1000. A page can hold fewer, because its size is limited to about 1 MiB. Only a `next_cursor` of `null` marks the last page.',
      schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
    })
    expect(operation('notifications.get').parameters.find(({ name }) => name === 'wait')?.schema).toEqual({
      type: 'integer',
      minimum: 1,
      maximum: 60,
    })
  })

  it('lists path, query and header parameters, and whether they are required', () => {
    expect(operation('projects.deleteByQuery').parameters.map((each) => [each.in, each.name, each.required])).toEqual([
      ['query', 'project_id', true],
      ['header', 'If-Match', false],
    ])
    expect(operation('flows.get').parameters.map((each) => [each.in, each.name, each.required])).toEqual([
      ['path', 'project_id', true],
      ['path', 'flow_id', true],
      ['query', 'at', false],
      ['header', 'If-None-Match', false],
    ])
  })

  it('documents exactly the declared problem codes for each status', () => {
    for (const { operation: each } of operations) {
      const [group = '', key = ''] = each.operationId.split('.')
      const routes = contract.api as unknown as Record<string, Record<string, { metadata: { problems: contract.ProblemCode[] } }>>
      const declared = new Set(routes[group]?.[key]?.metadata.problems)
      const documented = Object.keys(each.responses)
        .filter((status) => Number(status) >= 400)
        .flatMap((status) => {
          const codes = codesOf(responseOf(each.operationId, Number(status))) ?? []
          for (const code of codes)
            expect(problems[code as contract.ProblemCode].status, `${each.operationId} ${code}`).toBe(Number(status))
          return codes
        })
      expect(documented.sort(), each.operationId).toEqual([...declared].sort())
    }
  })

  it('lists the headers of each response', () => {
    const names = (id: string, status: number) => Object.keys(responseOf(id, status).headers ?? {})
    expect(names('projects.create', 201)).toEqual(expect.arrayContaining(['X-Request-Id', 'Location', 'ETag', 'Idempotency-Replayed']))
    expect(names('notifications.send', 202)).toEqual(expect.arrayContaining(['Location', 'Idempotency-Replayed']))
    expect(names('notifications.send', 202)).not.toContain('ETag')
    expect(names('flows.get', 304)).toContain('ETag')
    expect(names('flows.list', 200)).not.toContain('ETag')
    expect(names('settings.export', 200)).toContain('ETag')
    expect(names('settings.apply', 200)).not.toContain('ETag')
    expect(names('flows.list', 401)).toContain('WWW-Authenticate')
    expect(names('flows.list', 429)).toEqual(expect.arrayContaining(['Retry-After', 'RateLimit', 'RateLimit-Policy']))
    expect(names('flows.list', 503)).toContain('Retry-After')
    // The response contains the secret of the key, which is shown only once. Such a response is not stored or replayed.
    expect(names('apiKeys.create', 201)).not.toContain('Idempotency-Replayed')
    for (const { operation: each } of operations)
      for (const status of Object.keys(each.responses))
        expect(names(each.operationId, Number(status)), `${each.operationId} ${status}`).toEqual(
          expect.arrayContaining(['X-Request-Id', 'RateLimit', 'RateLimit-Policy']),
        )
  })

  it('lists the headers that only the errors of some operations have', () => {
    const names = (id: string, status: number) => Object.keys(responseOf(id, status).headers ?? {})
    for (const id of ['notifications.send', 'notifications.preview', 'notifications.sendBatch'])
      for (const status of [400, 422, 500, 503]) expect(names(id, status), `${id} ${status}`).toContain('Flowpost-Settings-Changed')
    expect(names('notifications.send', 404)).toContain('Flowpost-Settings-Changed')
    expect(names('notifications.send', 401)).not.toContain('Flowpost-Settings-Changed')
    expect(names('notifications.get', 404)).not.toContain('Flowpost-Settings-Changed')
    // This response has the headers of the response with the secret, which is not stored.
    expect(names('eventEndpoints.create', 409)).toEqual(expect.arrayContaining(['Location', 'ETag', 'Idempotency-Replayed']))
    expect(names('apiKeys.create', 409)).not.toContain('ETag')
  })

  it('lists the scope of each operation for both kinds of credential', () => {
    expect(operation('notifications.send').security).toEqual([{ apiKey: ['notifications:send'] }, { oidc: ['notifications:send'] }])
    expect(document.components.securitySchemes).toMatchObject({ apiKey: { type: 'http', scheme: 'bearer' }, oidc: { scheme: 'bearer' } })
    const { oidc } = createOpenApiDocument({ version: '1', oidcIssuer: 'https://login.example.com/' }).components.securitySchemes
    expect(oidc).toMatchObject({
      type: 'openIdConnect',
      openIdConnectUrl: 'https://login.example.com/.well-known/openid-configuration',
    })
  })

  it('has the version, the server URL and the providers of a deployment', () => {
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

  it('explains that a request which failed with `unavailable` may have been applied and how to retry it', () => {
    const advice = 'The request may have been applied. Retrying it with the same Idempotency-Key is safe.'
    expect(responseOf('notifications.send', 503)).toMatchObject({
      description: expect.stringContaining(`\`unavailable\`: Service unavailable. ${advice}`),
    })
    expect(document.components.examples.unavailable).toMatchObject({ value: { detail: expect.stringContaining(advice) } })
    expect(document.info).toMatchObject({ description: expect.stringMatching(/may have\s+been\s+applied/) })
  })

  it('describes every field', () => {
    const listFieldsWithoutDescription = (value: unknown, path: string): string[] => {
      if (value === null || typeof value !== 'object') return []
      const { properties = {} } = value as { properties?: Record<string, { description?: string; $ref?: string }> }
      const names = Object.entries(properties).filter(([, { description, $ref }]) => !description && !$ref)
      return [
        ...names.map(([name]) => `${path}/${name}`),
        ...Object.entries(value).flatMap(([key, inner]) => listFieldsWithoutDescription(inner, `${path}/${key}`)),
      ]
    }
    expect(listFieldsWithoutDescription(document.components.schemas, '')).toEqual([])
  })

  it('has examples that its schemas accept', () => {
    const schemas = Object.values(contract).filter((each): each is z.ZodType & typeof each => typeof each === 'object' && '_zod' in each)
    const examples = schemas.flatMap((schema) => ((schema.meta()?.examples ?? []) as unknown[]).map((example) => ({ schema, example })))
    expect(examples.length).toBeGreaterThan(6)
    for (const { schema, example } of examples) expect(schema.safeParse(example).error, JSON.stringify(example)).toBeUndefined()
  })
})
