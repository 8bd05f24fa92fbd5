import { describe, expect, it } from 'vitest'
import { createOpenApiDocument } from '../index.ts'
import { bodyOf, describeApi, successesOf } from './api-description.ts'
import { constraintsOf, fieldsOf, typeText } from './fields.ts'

const api = describeApi(createOpenApiDocument({ version: '1.0.0' }))

describe('the type of a schema', () => {
  it.each([
    [{ type: 'string' }, 'string'],
    [{ type: 'string', format: 'date-time' }, 'timestamp'],
    [{ type: 'array', items: { type: 'integer' } }, 'array of integer'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string or null'],
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
    expect(constraintsOf(api, schema)).toEqual({ values: ['"a"', '"b"'], limits: [], pattern: '^[ab]$', fallback: 'null' })
    expect(constraintsOf(api, { pattern: 'x'.repeat(41) })).not.toHaveProperty('pattern')
  })

  it('leave out what the description already says', () => {
    const description = 'One of `a` and `b`, of 1 to 9 characters. Default: `a`.'
    expect(constraintsOf(api, { description, enum: ['a', 'b'], minLength: 1, maxLength: 9, default: 'a' })).toEqual({
      values: [],
      limits: [],
    })
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

  it('end at a schema that contains itself', () => {
    const schemas = { Node: { properties: { child: { $ref: '#/components/schemas/Node' }, name: { type: 'string' } } } }
    const document = createOpenApiDocument({ version: '1.0.0' })
    const recursive = describeApi({ ...document, components: { ...document.components, schemas } })
    expect(fieldsOf(recursive, { $ref: '#/components/schemas/Node' }).map(({ path }) => path)).toEqual(['child', 'name'])
  })
})
