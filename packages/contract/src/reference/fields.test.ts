import { describe, expect, it } from 'vitest'
import { createOpenApiDocument } from '../index.ts'
import { bodyOf, describeApi, type Operation, type Schema, successesOf } from './api-description.ts'
import { constraintsOf, fieldsOf, typeText } from './fields.ts'

const api = describeApi(createOpenApiDocument({ version: '1.0.0' }))

describe('the type of a schema', () => {
  it.each([
    [{ type: 'string' }, 'string'],
    [{ type: 'string', format: 'date-time' }, 'timestamp'],
    [{ type: 'array', items: { type: 'integer' } }, 'array of integer'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string or null'],
    [{ anyOf: [{ type: ['string', 'null'] }, { type: 'string' }] }, 'string or null'],
    [{ const: 'sent' }, '"sent"'],
    [{ $ref: '#/components/schemas/Project' }, 'object'],
    [{}, 'any'],
  ])('of %j is %s', (schema, text) => {
    expect(typeText(api, schema)).toBe(text)
  })
})

describe('the constraints of a schema', () => {
  it('contain limits of numbers, lengths and counts', () => {
    expect(constraintsOf(api, { minimum: 0, maximum: 3600 }).limits).toEqual(['0 to 3,600'])
    expect(constraintsOf(api, { minLength: 1, maxLength: 998 }).limits).toEqual(['1 to 998 characters'])
    expect(constraintsOf(api, { minLength: 0, maxLength: 1 }).limits).toEqual(['at most 1 character'])
    expect(constraintsOf(api, { minItems: 1 }).limits).toEqual(['at least 1 item'])
    expect(constraintsOf(api, { maxProperties: 20 }).limits).toEqual(['at most 20 entries'])
    expect(constraintsOf(api, { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }).limits).toEqual([])
  })

  it('contain values, a default and a short pattern, even for a nullable schema', () => {
    const schema = { anyOf: [{ type: 'string', enum: ['a', 'b'], pattern: '^[ab]$' }, { type: 'null' }], default: null }
    expect(constraintsOf(api, schema)).toEqual({
      values: ['"a"', '"b"'],
      valuesLabel: 'One of',
      limits: [],
      pattern: '^[ab]$',
      fallback: 'null',
    })
    expect(constraintsOf(api, { pattern: 'x'.repeat(41) })).not.toHaveProperty('pattern')
  })

  it.each([
    [{ enum: ['a', 'b'] }, 'One of'],
    [{ 'x-extensible-enum': ['a', 'b'] }, 'Currently one of'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, 'Each is one of'],
    [{ anyOf: [{ type: 'array', items: { 'x-extensible-enum': ['a', 'b'] } }, { type: 'null' }] }, 'Each is currently one of'],
  ])('contain the values of %j, introduced with "%s"', (schema, valuesLabel) => {
    expect(constraintsOf(api, schema)).toMatchObject({ values: ['"a"', '"b"'], valuesLabel })
  })

  it('leave out what the description already says', () => {
    const description = 'One of `a` and `b`, of 1 to 9 characters. Default: `a`.'
    expect(constraintsOf(api, { description, enum: ['a', 'b'], minLength: 1, maxLength: 9, default: 'a' })).toMatchObject({
      values: [],
      limits: [],
    })
  })

  it('contain a limit if the description states only another one', () => {
    const description = 'Up to 100 entries, 1,000 in total.'
    expect(constraintsOf(api, { description, minLength: 1, maxLength: 50_000 }).limits).toEqual(['1 to 50,000 characters'])
    expect(constraintsOf(api, { description, maximum: 10 }).limits).toEqual(['at most 10'])
    expect(constraintsOf(api, { description, maximum: 1_000 }).limits).toEqual([])
  })

  it('contain a value that the description has only as part of a word', () => {
    expect(constraintsOf(api, { description: 'The kind of emails.', enum: ['email'] }).values).toEqual(['"email"'])
  })
})

const bodiesOf = (operation: Operation): Schema[] =>
  [bodyOf(operation), ...successesOf(operation).map(({ schema }) => schema)].flatMap((schema) => schema ?? [])

const fieldIn = (operationId: string, path: string) => {
  const operation = api.operations.find((candidate) => candidate.operationId === operationId)
  return (
    operation &&
    bodiesOf(operation)
      .flatMap((schema) => fieldsOf(api, schema))
      .find((field) => field.path === path)
  )
}

interface Leaf {
  readonly path: string
  readonly values: readonly unknown[]
}

/** Returns each property inside a schema, with the property's listed values. Repeats a property that several alternatives have. */
const propertiesIn = (schema: Schema, prefix = ''): Leaf[] => {
  const { properties = {}, items, anyOf = [], oneOf = [], allOf = [] } = api.resolve(schema)
  return [
    ...Object.entries(properties).flatMap(([name, property]) => [
      { path: `${prefix}${name}`, values: valuesIn(property) },
      ...propertiesIn(property, `${prefix}${name}.`),
    ]),
    ...[...anyOf, ...oneOf, ...allOf, ...(items ? [items] : [])].flatMap((inner) => propertiesIn(inner, prefix)),
  ]
}

const valuesIn = (schema: Schema): unknown[] => {
  const { const: value, enum: closed = [], 'x-extensible-enum': open = [], items, anyOf = [], oneOf = [] } = api.resolve(schema)
  return [...(value === undefined ? [] : [value]), ...closed, ...open, ...[...anyOf, ...oneOf, ...(items ? [items] : [])].flatMap(valuesIn)]
}

describe.each(api.operations.map((operation) => [operation.operationId, operation] as const))('the fields of %s', (_, operation) => {
  const withoutBrackets = (path: string) => path.replaceAll('[]', '')

  it('contain every property of its schemas once', () => {
    for (const schema of bodiesOf(operation)) {
      const paths = fieldsOf(api, schema).map(({ path }) => withoutBrackets(path))
      expect(paths).toEqual([...new Set(paths)])
      expect(paths.sort()).toEqual([...new Set(propertiesIn(schema).map(({ path }) => path))].sort())
    }
  })

  it('are described with every value that their schemas list', () => {
    for (const schema of bodiesOf(operation)) {
      const fields = new Map(fieldsOf(api, schema).map((field) => [withoutBrackets(field.path), field.schema]))
      for (const { path, values } of propertiesIn(schema)) {
        const field = fields.get(path) ?? {}
        const { description = '' } = api.resolve(field)
        const listed = constraintsOf(api, field).values
        for (const value of values) {
          const isDescribed = description.includes(`\`${value}\``) || listed.includes(JSON.stringify(value))
          expect(isDescribed, `${path}: ${value}`).toBe(true)
        }
      }
    }
  })
})

describe('the fields of a body', () => {
  const operation = api.operations.find(({ operationId }) => operationId === 'notifications.send')

  it('are listed with their depth, each followed by the fields inside it', () => {
    const [{ schema } = {}] = operation ? successesOf(operation) : []
    const fields = schema ? fieldsOf(api, schema) : []
    expect(fields.find(({ path }) => path === 'deliveries[].failure.code')?.depth).toBe(2)
    const paths = fields.map(({ path }) => path)
    expect(paths.indexOf('deliveries[].id')).toBe(paths.indexOf('deliveries[]') + 1)
  })

  it('state which fields are required', () => {
    const body = operation && bodyOf(operation)
    const required = body ? fieldsOf(api, body).filter((field) => field.required) : []
    expect(required.map(({ path }) => path)).toEqual(['subject', 'message'])
  })

  it('end in brackets if they are arrays, even nullable ones', () => {
    expect(fieldIn('notifications.explanation', 'flows[].flow_id')?.depth).toBe(1)
  })

  it('end at a schema that contains itself', () => {
    const schemas = { Node: { properties: { child: { $ref: '#/components/schemas/Node' }, name: { type: 'string' } } } }
    const document = createOpenApiDocument({ version: '1.0.0' })
    const recursive = describeApi({ ...document, components: { ...document.components, schemas } })
    expect(fieldsOf(recursive, { $ref: '#/components/schemas/Node' }).map(({ path }) => path)).toEqual(['child', 'name'])
  })
})

describe('a field of alternatives', () => {
  it('permits the values of each', () => {
    const status = fieldIn('notifications.sendBatch', 'results[].status')?.schema ?? {}
    expect(typeText(api, status)).toBe('number')
    expect(status.enum).toEqual([202, 404, 409, 422, 429, 500, 503])
    const type = fieldIn('events.list', 'data[].type')?.schema ?? {}
    expect(typeText(api, type)).toBe('string')
    expect(constraintsOf(api, type).values).toContain('"flow.healthy"')
  })

  it('states with which values of the discriminator it is present', () => {
    const conditionOf = (operationId: string, path: string) => fieldIn(operationId, path)?.condition
    expect(conditionOf('notifications.sendBatch', 'results[].notification')).toBe('only if `results[].status` is `202`')
    expect(conditionOf('notifications.sendBatch', 'results[].status')).toBeUndefined()
    expect(conditionOf('events.list', 'data[].data.id')).toBeUndefined()
    expect(conditionOf('events.list', 'data[].data.status')).toBe('only if `data[].type` is `notification.settled` or `delivery.*`')
    expect(conditionOf('events.list', 'data[].data.health')).toBe('only if `data[].type` is `flow.*`')
    expect(conditionOf('events.list', 'data[].data.health.status')).toBeUndefined()
  })

  it('has the description of each', () => {
    expect(fieldIn('events.list', 'data[].data.id')?.schema.description).toBe(
      '`notification.settled`: The id of the notification. `delivery.*`: The id of the delivery. `flow.*`: The id of the flow.',
    )
  })

  it('is required if each requires it, and has the types of each', () => {
    const text: Schema = { properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a', 'b'] }
    const number: Schema = { properties: { a: { type: 'integer' } }, required: ['a'] }
    expect(fieldsOf(api, { anyOf: [text, number] }).map((field) => [field.path, field.required, typeText(api, field.schema)])).toEqual([
      ['a', true, 'string or integer'],
      ['b', false, 'string'],
    ])
  })
})
