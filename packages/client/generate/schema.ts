import type { z } from 'zod'
import { docComment } from './doc.ts'
import { propertyKey, quote } from './names.ts'

/** The direction of a type: `input` for requests, `output` for responses. */
export type Direction = 'input' | 'output'

/** Returns the name to print for a schema, if it has one. */
export type NameOf = (schema: Schema, direction: Direction) => string | undefined

/** Any zod schema, discriminated by its `def`. */
export type Schema = z.core.$ZodTypes & { meta(): Meta | undefined }

interface Meta {
  readonly id?: string
  readonly description?: string
  readonly 'x-extensible-enum'?: readonly string[]
  readonly [key: string]: unknown
}

/** Casts a value from the contract to a zod schema. Throws when the value is not a schema. */
export const asSchema = (value: unknown, where: string): Schema => {
  if (typeof value === 'object' && value !== null && '_zod' in value) return value as Schema
  throw new Error(`${where}: expected a zod schema.`)
}

/**
 * Returns the metadata of a schema, merged with the metadata of the schema inside `.optional()`, `.nullable()` or
 * `.default()`. The outer schema takes precedence.
 */
export const metaOf = (schema: Schema): Meta => {
  const { def } = schema._zod
  const inner = 'innerType' in def ? metaOf(def.innerType as Schema) : {}
  return { ...inner, ...schema.meta() }
}

/** Returns whether a property of this schema may be omitted. */
export const isOptional = (schema: Schema, direction: Direction): boolean =>
  direction === 'input' ? schema._zod.optin !== undefined : schema._zod.optout !== undefined

const open = '(string & {})'

/** Adds parentheses to a union or intersection type. */
const parenthesize = (type: string): string => (/[|&]/.test(type) && !type.startsWith('{') ? `(${type})` : type)

const union = (members: readonly string[]): string => [...new Set(members)].join(' | ')

const enumeration = (values: readonly unknown[], isOpen: boolean, where: string): string => {
  const members = values.map((value) => {
    if (typeof value !== 'string') throw new Error(`${where}: an enum may contain only strings.`)
    return quote(value)
  })
  return union(isOpen ? [...members, open] : members)
}

const literal = (value: unknown, where: string): string => {
  if (typeof value === 'string') return quote(value)
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw new Error(`${where}: a literal of type ${typeof value} cannot be written as JSON.`)
}

/** Generates an object schema's members as the lines of an interface. */
export const members = (schema: z.core.$ZodObject, direction: Direction, nameOf: NameOf, where: string): string => {
  const { shape, catchall } = schema._zod.def
  const lines = Object.entries(shape).map(([key, value]) => {
    const field = value as Schema
    const optional = isOptional(field, direction)
    const type = typeOf(field, direction, nameOf, `${where}.${key}`)
    return `${fieldComment(field)}${propertyKey(key)}${optional ? '?' : ''}: ${optional ? union([type, 'undefined']) : type}`
  })
  if (catchall && catchall._zod.def.type !== 'never') {
    if (catchall._zod.def.type !== 'unknown') throw new Error(`${where}: a catch-all other than \`unknown\` is not supported.`)
    lines.push('[key: string]: unknown')
  }
  return lines.join('\n')
}

const fieldComment = (schema: Schema): string => {
  const { def } = schema._zod
  const fallback = def.type === 'default' || def.type === 'prefault' ? ` Default: \`${JSON.stringify(def.defaultValue)}\`.` : ''
  const description = metaOf(schema).description ?? ''
  return docComment(`${description}${fallback}`.trim())
}

/** Generates a schema's TypeScript type, for requests or for responses. Throws for a kind of schema that is not supported. */
export const typeOf = (schema: Schema, direction: Direction, nameOf: NameOf, where: string): string =>
  nameOf(schema, direction) ?? anonymousType(schema, direction, nameOf, where)

/** Generates the same type as {@link typeOf}, but expands a named schema instead of printing its name. */
export const anonymousType = (schema: Schema, direction: Direction, nameOf: NameOf, where: string): string => {
  const of = (inner: unknown, at = where) => typeOf(asSchema(inner, at), direction, nameOf, at)
  const { def } = schema._zod
  const openValues = schema.meta()?.['x-extensible-enum']
  if (openValues) return enumeration(openValues, true, where)
  switch (def.type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
    case 'unknown':
      return def.type
    case 'any':
      return 'unknown'
    case 'literal':
      return union(def.values.map((value) => literal(value, where)))
    case 'enum':
      // In a response, the type also accepts unknown strings, because a newer server may return other values.
      return enumeration(Object.values(def.entries), direction === 'output', where)
    case 'array':
      return `${parenthesize(of(def.element, `${where}[]`))}[]`
    case 'object':
      return Object.keys(def.shape).length === 0 && !def.catchall
        ? '{}'
        : `{\n${members(schema as z.core.$ZodObject, direction, nameOf, where)}\n}`
    case 'record':
      return `Record<${of(def.keyType, `${where} key`)}, ${of(def.valueType, `${where} value`)}>`
    case 'union':
      return union(def.options.map((option, index) => parenthesize(of(option, `${where}|${index}`))))
    case 'intersection':
      return `${parenthesize(of(def.left))} & ${parenthesize(of(def.right))}`
    case 'nullable':
      return union([of(def.innerType), 'null'])
    case 'optional':
    case 'nonoptional':
    case 'default':
    case 'prefault':
    case 'readonly':
      return of(def.innerType)
    case 'lazy':
      // A recursive schema needs a name, so that each reference prints only the name. Otherwise, the type would be infinite.
      if (!asSchema(def.getter(), where).meta()?.id) throw new Error(`${where}: a lazy schema must have a name.`)
      return of(def.getter())
    case 'pipe':
      return pipe(def, direction, of, where)
    default:
      throw new Error(`${where}: the generator does not support the zod type \`${def.type}\`.`)
  }
}

// `z.preprocess` decodes a serialized value, such as a number in a query string. SDK callers pass the decoded value, so the
// generated type is that of the inner schema.
const pipe = (def: z.core.$ZodPipeDef, direction: Direction, of: (inner: unknown) => string, where: string): string => {
  const side = (part: z.core.$ZodType) => (part as Schema)._zod.def.type
  if (side(def.in) === 'transform') return of(def.out)
  if (side(def.out) === 'transform' && direction === 'output')
    throw new Error(`${where}: a response must not contain a transform, because its output type is not known at run time.`)
  return of(direction === 'input' ? def.in : def.out)
}
