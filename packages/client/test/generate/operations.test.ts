import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { generateSources } from '../../generate/files.ts'
import { c, contract, errors, metadata, requiredRoutes, route } from './contracts.ts'

const Thing = z.object({ id: z.string(), name: z.string(), active: z.boolean() }).meta({ id: 'Thing' })
const params = z.object({ thing_id: z.string().meta({ description: 'The identifier of the thing.' }) })
const ifMatch = { 'if-match': z.string().optional() }
const ifNoneMatch = { 'if-none-match': z.string().optional() }

const files = (things: Record<string, unknown>) => generateSources(contract({ things }), '1.0.0')
const methods = (things: Record<string, unknown>) => files(things).get('src/generated/operations.ts') ?? ''
const table = (things: Record<string, unknown>) => files(things).get('src/generated/routes.ts') ?? ''
const one = (changes: object) => ({ act: route(changes) })

const read = route({
  path: '/v1/things/:thing_id',
  pathParams: params,
  headers: ifNoneMatch,
  responses: { 200: Thing, 304: c.noBody(), ...errors },
})
const update = (body: z.ZodType) =>
  route({ method: 'PUT', path: '/v1/things/:thing_id', pathParams: params, headers: ifMatch, body, responses: { 200: Thing, ...errors } })

describe('a method', () => {
  it('has the parameters path, body, query and options, in this order', () => {
    const things = one({
      method: 'POST',
      path: '/v1/groups/:group_id/things/:thing_id',
      pathParams: z.object({ thing_id: z.string(), group_id: z.string() }),
      body: z.object({ a: z.string() }).meta({ id: 'ThingAct' }),
      query: z.object({ dry: z.string() }),
    })
    expect(methods(things)).toContain(
      'act(groupId: string, thingId: string, body: ThingAct, params: ThingActParams, options?: CallOptions): Call<Fixture>',
    )
    expect(table(things)).toContain("act: { method: 'POST', body: true, query: true, path: '/v1/groups/:group_id/things/:thing_id' }")
  })

  it('makes the query optional if no field is required, and omits a query without fields', () => {
    expect(methods(one({ query: z.object({ a: z.string().default('x') }) }))).toContain(
      'act(params?: ThingActParams, options?: CallOptions)',
    )
    expect(methods(one({ query: z.object({}) }))).toContain('act(options?: CallOptions)')
  })

  it('documents its codes, its parameters and its deprecation', () => {
    const written = methods(one({ path: '/v1/things/:thing_id', pathParams: params, deprecated: true }))
    expect(written).toContain('* Reads things.')
    expect(written).toContain('* @param thingId The identifier of the thing.')
    expect(written).toContain('* @throws {FlowpostError} `not_found`.')
    expect(written).toContain('* @deprecated')
  })

  it('returns a page of a list', () => {
    const page = z.object({ data: z.array(Thing), next_cursor: z.string().nullable() }).meta({ id: 'ThingPage' })
    const things = one({ query: z.object({ cursor: z.string().optional() }), responses: { 200: page, ...errors } })
    expect(methods(things)).toContain('act(params?: ThingActParams, options?: CallOptions): Page<Thing>')
    expect(table(things)).toContain('page: true')
  })

  it('returns a union of all successful bodies', () => {
    const Other = z.object({ other: z.string() }).meta({ id: 'Other' })
    expect(methods(one({ responses: { 200: Thing, 202: Other, 204: c.noBody(), ...errors } }))).toContain('Call<Thing | Other | void>')
  })

  it('has an overload for each response that depends on a field in the body', () => {
    const written = methods({})
    for (const overload of [
      'create(body: BulkActionBody & DryRun, options?: CallOptions): Call<Counts>',
      'create(body: BulkActionBody & NoDryRun, options?: CallOptions): Call<Action>',
      'create(body: BulkActionBody, options?: CallOptions): Call<Counts | Action>',
    ])
      expect(written).toContain(overload)
  })

  it('has an overload for conditional reads', () => {
    expect(methods({ get: read }).match(/get\(thingId.*/g)).toEqual([
      'get(thingId: string, options?: UncachedOptions): Call<Thing>',
      'get(thingId: string, options?: CachedOptions): Call<Thing | undefined>',
      'get(thingId: string, options?: UncachedOptions): Call<Thing>',
    ])
  })

  it('accepts an idempotency key where the operation supports it', () => {
    const things = one({
      method: 'POST',
      headers: { 'idempotency-key': z.string().optional() },
      metadata: { ...metadata, idempotent: true },
    })
    expect(methods(things)).toContain('act(options?: IdempotentOptions)')
    expect(table(things)).toContain('idempotent: true')
  })

  it('supports nested groups', () => {
    const things = { parts: { act: route() } }
    expect(methods(things)).toContain('readonly parts: ThingsPartsOperations')
    expect(methods(things)).toContain("'things.parts.act': 'not_found'")
    expect(table(things)).toMatch(/things: \{\s+parts: \{\s+act: \{/)
  })

  it('has its maximum wait in the route table', () => {
    const wait = z.preprocess((value: number) => value, z.int().min(1).max(60)).optional()
    expect(table(one({ query: z.object({ wait }) }))).toContain('wait: 60')
  })
})

describe('an update with a function', () => {
  it('is generated when the resource has every field of the request', () => {
    const things = { get: read, update: update(z.object({ name: z.string(), active: z.boolean() }).meta({ id: 'ThingUpdate' })) }
    expect(methods(things)).toContain('body: ThingUpdate | ((current: Thing & ThingUpdate) => ThingUpdate | Promise<ThingUpdate>)')
    expect(table(things)).toContain("fields: ['name', 'active']")
  })

  it('is not generated when a field of the request cannot be read', () => {
    const things = { get: read, update: update(z.object({ name: z.string(), secret: z.string() }).meta({ id: 'ThingUpdate' })) }
    expect(methods(things)).toContain('update(thingId: string, body: ThingUpdate, options?: ConditionalOptions)')
    expect(table(things)).not.toContain('fields')
  })
})

describe('an update of secrets', () => {
  it('accepts no function, because a read does not return secrets', () => {
    const Vault = z.object({ secrets: z.record(z.string(), z.object({ set: z.literal(true) })) }).meta({ id: 'Vault' })
    const body = z.object({ secrets: z.record(z.string(), z.string()) }).meta({ id: 'VaultPut' })
    const shared = { path: '/v1/things/:thing_id', pathParams: params, responses: { 200: Vault, ...errors } }
    const things = { get: route({ ...shared, headers: ifNoneMatch }), put: route({ ...shared, method: 'PUT', headers: ifMatch, body }) }
    expect(methods(things)).toContain('put(thingId: string, body: VaultPut, options?: ConditionalOptions)')
  })
})

describe('an invalid contract', () => {
  const cursor = z.object({ cursor: z.string().optional() })
  it.each<[string, Record<string, unknown>, RegExp]>([
    [
      'a header without an option',
      one({ headers: { 'x-new': z.string() } }),
      /things\.act: rules\.ts has no option for the header `x-new`/,
    ],
    ['an idempotency key without metadata', one({ headers: { 'idempotency-key': z.string() } }), /must be declared together/],
    ['idempotent metadata without the key', one({ metadata: { ...metadata, idempotent: true } }), /must be declared together/],
    ['no metadata', one({ metadata: undefined }), /`metadata` must contain/],
    ['no description', one({ description: undefined }), /a summary and a description are required/],
    ['a path parameter that is not declared', one({ path: '/v1/things/:id' }), /must have the same parameters/],
    ['a path parameter that is not in the path', one({ pathParams: params }), /must have the same parameters/],
    ['a path parameter that is not a string', one({ path: '/:id', pathParams: z.object({ id: z.int() }) }), /must be a string/],
    ['a form body', one({ method: 'POST', contentType: 'multipart/form-data', body: z.object({}) }), /only JSON bodies/],
    ['a body that is not a schema', one({ method: 'POST', body: c.type<string>() }), /expected a zod schema/],
    [
      'a response that is not a schema',
      one({ responses: { 200: c.otherResponse({ contentType: 'text/csv', body: z.string() }) } }),
      /200: expected a zod schema/,
    ],
    ['an error that is not a problem', one({ responses: { 200: Thing, 400: Thing } }), /every error must be problem\+json/],
    ['a redirect', one({ responses: { 200: Thing, 302: c.noBody() } }), /unsupported success status/],
    ['no successful response', one({ responses: errors }), /no successful response/],
    [
      'a page with additional fields',
      one({ query: cursor, responses: { 200: z.object({ data: z.array(Thing), next_cursor: z.null(), total: z.int() }) } }),
      /a page must be a GET/,
    ],
    [
      'a page without the query cursor',
      one({ responses: { 200: z.object({ data: z.array(Thing), next_cursor: z.null() }) } }),
      /a page must be a GET/,
    ],
    ['a wait without a maximum', one({ query: z.object({ wait: z.int().optional() }) }), /`wait` needs a maximum/],
    ['a reserved name', { catch: route() }, /invalid name for a method/],
    [
      'an optional body before a required query',
      one({ method: 'POST', body: z.object({}).optional(), query: z.object({ a: z.string() }) }),
      /required argument follows/,
    ],
  ])('fails the generator: %s', (_, things, message) => {
    expect(() => files(things)).toThrow(message)
  })

  it('fails the generator: a rule for an unknown operation', () => {
    const { projects: _, ...rest } = requiredRoutes
    expect(() => generateSources(rest, '1.0.0')).toThrow(/rules\.ts refers to projects\.deleteByQuery/)
  })
})

describe('an excluded operation', () => {
  it('has neither a method nor a route', () => {
    expect([...files({ act: route() }).values()].join('\n')).not.toContain('deleteByQuery')
  })
})
