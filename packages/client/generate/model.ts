import type { z } from 'zod'
import { camelCase, pascalCase, singular } from './names.ts'
import { headerOptions, results, variants } from './rules.ts'
import { anonymousType, asSchema, type Direction, isOptional, metaOf, type NameOf, type Schema, typeOf } from './schema.ts'
import { createTypeNames, type TypeNames } from './type-names.ts'
import type { Operation } from './walk.ts'

/** One parameter of a method. */
export interface Argument {
  readonly name: string
  readonly type: string
  readonly optional: boolean
  readonly description: string
}

/** An operation with the generated names and types of its method. */
export interface Method {
  readonly operation: Operation
  readonly args: readonly Argument[]
  /** The type of the options argument. */
  readonly options: string
  /** The type of the options argument for conditional reads. */
  readonly cachedOptions: string | undefined
  /** The return type. */
  readonly result: string
  /** The type that the returned promise resolves to. */
  readonly value: string
  /**
   * For a method whose result depends on a field of the body: the types of the body and of the resolved value, one
   * pair for each overload.
   */
  readonly variants: readonly { readonly body: string; readonly value: string }[]
  /** The type names of the body, the query and the page item, for the type tests. */
  readonly types: { readonly body?: string; readonly query?: string; readonly item?: string }
  readonly isPage: boolean
  /**
   * Defined if callers may pass a function that receives the current resource and returns the body. `read` is the operation
   * that reads the resource, and `fields` are the fields of the body.
   */
  readonly edit: { readonly read: string; readonly fields: readonly string[] } | undefined
  /** The maximum of the query parameter `wait`, in seconds. */
  readonly wait: number | undefined
}

/** All methods and types of the SDK. */
export interface Model {
  readonly methods: readonly Method[]
  readonly types: TypeNames
}

/** Creates a method for every operation, and the named types that the methods use. */
export const createModel = (operations: readonly Operation[]): Model => {
  const types = createTypeNames()
  for (const operation of operations) {
    const base = baseName(operation)
    if (operation.body) types.register(operation.body, 'input', `${base}Body`, `${operation.name} body`)
    if (operation.query) types.register(operation.query, 'input', `${base}Params`, `${operation.name} query`)
    const item = pageItem(operation)
    if (item) types.register(item, 'output', `${base}Item`, `${operation.name} item`)
    else
      for (const { schema } of operation.responses)
        if (schema) types.register(schema, 'output', `${base}Result`, `${operation.name} response`)
  }
  for (const { problem, name } of operations) if (problem) types.register(problem, 'output', 'Problem', `${name} error`)
  types.resolve()
  return { methods: operations.map((operation) => method(operation, operations, types.nameOf)), types }
}

const baseName = ({ keys }: Operation): string =>
  keys.map((key, index) => pascalCase(index < keys.length - 1 ? singular(key) : key)).join('')

const objectShape = (schema: Schema): Record<string, Schema> => {
  const { def } = schema._zod
  return def.type === 'object' ? (def.shape as Record<string, Schema>) : {}
}

/** Returns the item schema of an operation that returns a page of a list; `undefined` for other operations. */
const pageItem = ({ responses, name, method, query }: Operation): Schema | undefined => {
  const [response] = responses
  if (responses.length !== 1 || !response?.schema) return undefined
  const shape = objectShape(response.schema)
  if (!shape.next_cursor) return undefined
  const data = shape.data?._zod.def
  if (method !== 'GET' || data?.type !== 'array' || Object.keys(shape).length !== 2 || !query || !objectShape(query).cursor)
    throw new Error(`${name}: a page must be a GET with a \`cursor\` parameter and only \`data\` and \`next_cursor\` in its response.`)
  return asSchema(data.element, `${name} item`)
}

const responseType = (operation: Operation, nameOf: NameOf): string => {
  const values = operation.responses.map(({ schema, status }) =>
    schema ? typeOf(schema, 'output', nameOf, `${operation.name} ${status}`) : 'void',
  )
  return [...new Set(values)].join(' | ')
}

// For some PUT operations, a caller may pass a function that receives the current resource and returns the body. The function may
// return the resource itself, so the resource must have every field of the body, with the same type. Operations whose body has
// secrets are therefore excluded: the API never returns secrets.
const editOf = (operation: Operation, all: readonly Operation[], nameOf: NameOf): Method['edit'] => {
  if (operation.method !== 'PUT' || !operation.body || !operation.headers.includes('if-match')) return undefined
  const read = all.find((other) => other.method === 'GET' && other.path === operation.path && other.headers.includes('if-none-match'))
  const resource = read?.responses[0]?.schema
  if (!read || !resource) return undefined
  const requestFields = Object.entries(objectShape(operation.body))
  const resourceFields = objectShape(resource)
  const closed = (schema: Schema, direction: Direction) =>
    typeOf(schema, direction, nameOf, operation.name).replaceAll(' | (string & {})', '')
  const editable = requestFields.every(
    ([field, schema]) => resourceFields[field] && closed(resourceFields[field], 'output') === closed(schema, 'input'),
  )
  return requestFields.length > 0 && editable ? { read: read.name, fields: requestFields.map(([field]) => field) } : undefined
}

const maxWait = ({ query, name }: Operation): number | undefined => {
  const wait = query && objectShape(query).wait
  if (!wait) return undefined
  const limits = [...maxima(wait)].filter(Number.isSafeInteger)
  if (limits.length === 0) throw new Error(`${name}: the query parameter \`wait\` needs a maximum.`)
  return Math.min(...limits)
}

function* maxima(schema: Schema): Generator<number> {
  const { def } = schema._zod
  for (const { _zod } of def.checks ?? []) if (_zod.def.check === 'less_than') yield Number((_zod.def as z.core.$ZodCheckLessThanDef).value)
  if ('innerType' in def) yield* maxima(def.innerType as Schema)
  if (def.type === 'pipe') yield* maxima(def.out as Schema)
}

const method = (operation: Operation, all: readonly Operation[], nameOf: NameOf): Method => {
  const { name, headers, body, query } = operation
  const edit = editOf(operation, all, nameOf)
  const item = pageItem(operation)
  const itemType = item && typeOf(item, 'output', nameOf, `${name} item`)
  const value = itemType ? `PageBody<${itemType}>` : responseType(operation, nameOf)
  const type = (schema: Schema, direction: Direction, part: string) => typeOf(schema, direction, nameOf, `${name} ${part}`)
  const bodyType = body && type(body, 'input', 'body')
  const queryType = query && type(query, 'input', 'query')
  const args: Argument[] = operation.pathParams.map((param) => ({
    name: camelCase(param.name),
    type: pathType(param.schema, `${name} path.${param.name}`),
    optional: false,
    description: metaOf(param.schema).description ?? '',
  }))
  if (body && bodyType)
    args.push({
      name: 'body',
      type: edit
        ? `${bodyType} | ((current: ${resourceType(edit.read, all, nameOf)} & ${bodyType}) => ${bodyType} | Promise<${bodyType}>)`
        : bodyType,
      optional: isOptional(body, 'input'),
      description: edit
        ? `${metaOf(body).description ?? ''} Alternatively, a function that receives the current resource and returns the body.`
        : (metaOf(body).description ?? ''),
    })
  if (query && queryType)
    args.push({
      name: 'params',
      type: queryType,
      optional: Object.values(objectShape(query)).every((field) => isOptional(field, 'input')),
      description: 'The query parameters.',
    })
  for (const [index, arg] of args.entries())
    if (arg.optional && args.slice(index + 1).some((later) => !later.optional))
      throw new Error(`${name}: a required argument follows an optional one.`)
  const isCached = headers.includes('if-none-match')
  const allOptions = optionNames(headers)
  return {
    operation,
    args,
    options: isCached ? allOptions.replace('CachedOptions', 'UncachedOptions') : allOptions,
    cachedOptions: isCached ? allOptions : undefined,
    result: itemType ? `Page<${itemType}>` : callType(operation, all, value, nameOf),
    value,
    variants: bodyType === undefined ? [] : variantsOf(operation, bodyType, nameOf),
    types: { ...(bodyType && { body: bodyType }), ...(queryType && { query: queryType }), ...(itemType && { item: itemType }) },
    isPage: item !== undefined,
    edit,
    wait: maxWait(operation),
  }
}

const variantsOf = (operation: Operation, body: string, nameOf: NameOf): Method['variants'] =>
  Object.entries(variants[operation.name] ?? {}).map(([type, status]) => {
    const responses = operation.responses.filter((response) => response.status === status)
    return { body: `${body} & ${type}`, value: responseType({ ...operation, responses }, nameOf) }
  })

const callType = (operation: Operation, all: readonly Operation[], value: string, nameOf: NameOf): string => {
  const rule = results[operation.name]
  return rule ? `${rule.type}<${value}, ${resourceType(rule.follow, all, nameOf)}>` : `Call<${value}>`
}

const resourceType = (read: string, all: readonly Operation[], nameOf: NameOf): string => {
  const operation = all.find(({ name }) => name === read)
  if (!operation) throw new Error(`Unknown operation: ${read}.`)
  return responseType(operation, nameOf)
}

const optionNames = (headers: readonly string[]): string =>
  [...new Set(headers.map((header) => headerOptions[header]))].sort().join(' & ') || 'CallOptions'

const pathType = (schema: Schema, where: string): string => {
  const type = anonymousType(schema, 'input', () => undefined, where)
  const { type: kind } = (schema as z.core.$ZodTypes)._zod.def
  if (kind !== 'string' && kind !== 'enum') throw new Error(`${where}: a path parameter must be a string.`)
  return type
}
