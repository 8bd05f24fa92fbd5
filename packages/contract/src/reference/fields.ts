import { type ApiDescription, nameOf, type Schema } from './api-description.ts'

const maxDepth = 4

// A longer pattern is harder to read than its description.
const maxPatternLength = 40

/** A value's constraints and default, in the form that an API reference shows. */
export interface Constraints {
  /** The permitted values, as JSON. */
  readonly values: readonly string[]
  /** Limits on a number, a length or a count, such as `1 to 64 characters`. */
  readonly limits: readonly string[]
  /** A regular expression that a string must match. */
  readonly pattern?: string
  /** The default, as JSON. */
  readonly fallback?: string
}

/** A field of a request or response body. */
export interface Field {
  /** The path in the body, such as `deliveries[].status`. */
  readonly path: string
  /** The nesting depth: 0 for a top-level field of the body, 1 for a field inside a top-level field, and so on. */
  readonly depth: number
  readonly required: boolean
  readonly schema: Schema
}

/** Returns the type of a schema in words, such as `string`, `array of string` or `string or null`. */
export const typeText = (api: ApiDescription, schema: Schema): string => {
  const { type, items: item, anyOf, oneOf, format, properties, ...resolved } = api.resolve(schema)
  if (resolved.const !== undefined) return JSON.stringify(resolved.const)
  const variants = anyOf ?? oneOf
  if (variants) return [...new Set(variants.map((variant) => typeText(api, variant)))].join(' or ')
  if (type === 'array') return item ? `array of ${typeText(api, item)}` : 'array'
  if (typeof type === 'object') return type.join(' or ')
  if (type === 'string' && format === 'date-time') return 'timestamp'
  return type ?? (properties ? 'object' : 'any')
}

const characters = ['character', 'characters'] as const
const items = ['item', 'items'] as const
const entries = ['entry', 'entries'] as const

const rangeText = (min: number | undefined, max: number | undefined, unit?: readonly [singular: string, plural: string]): string[] => {
  const count = (value: number) => `${value.toLocaleString('en-US')}${unit ? ` ${unit[value === 1 ? 0 : 1]}` : ''}`
  // A minimum length of 0 excludes nothing, but a minimum value of 0 excludes negative numbers.
  const least = (unit && min === 0) || min === Number.MIN_SAFE_INTEGER ? undefined : min
  const most = max === Number.MAX_SAFE_INTEGER ? undefined : max
  if (least !== undefined && most !== undefined)
    return [least === most ? count(most) : `${least.toLocaleString('en-US')} to ${count(most)}`]
  if (most !== undefined) return [`at most ${count(most)}`]
  return least === undefined ? [] : [`at least ${count(least)}`]
}

const limitsOf = (schema: Schema): string[] => [
  ...rangeText(schema.minimum, schema.maximum),
  ...rangeText(schema.minLength, schema.maxLength, characters),
  ...rangeText(schema.minItems, schema.maxItems, items),
  ...rangeText(undefined, schema.maxProperties, entries),
]

/** Resolves a schema. If exactly one of its `anyOf` variants is not `null`, adds the keywords of that variant. */
const withoutNull = (api: ApiDescription, schema: Schema): Schema => {
  const resolved = api.resolve(schema)
  const others = (resolved.anyOf ?? []).map(api.resolve).filter(({ type }) => type !== 'null')
  return others.length === 1 ? { ...others[0], ...resolved } : resolved
}

/** Returns a schema's constraints, without those that the schema's description already states. */
export const constraintsOf = (api: ApiDescription, schema: Schema): Constraints => {
  const resolved = withoutNull(api, schema)
  const { description = '', default: fallback, enum: options = [], pattern } = resolved
  const isMentioned = options.every((option) => description.includes(String(option)))
  // A description that states limits contains a phrase such as `1 to 64`, `up to 100` or `at most 100`.
  const limits = /\d .*\bto \d|up to \d|at most \d/.test(description) ? [] : limitsOf(resolved)
  return {
    values: isMentioned ? [] : options.map((option) => JSON.stringify(option)),
    limits,
    ...(pattern !== undefined && pattern.length <= maxPatternLength ? { pattern } : {}),
    ...(fallback === undefined || /default/i.test(description) ? {} : { fallback: JSON.stringify(fallback) }),
  }
}

/** Returns the object schemas inside a schema: the schema itself, its variants, or the items of an array. */
const objectsIn = (api: ApiDescription, schema: Schema): readonly Schema[] => {
  const { anyOf, oneOf, allOf, items: item, properties } = api.resolve(schema)
  if (properties) return [schema]
  if (item) return objectsIn(api, item)
  return (anyOf ?? oneOf ?? allOf ?? []).flatMap((variant) => objectsIn(api, variant))
}

const fieldsIn = (api: ApiDescription, object: Schema, prefix: string, depth: number, parents: readonly string[]): Field[] => {
  const name = nameOf(object)
  if (depth >= maxDepth || (name !== undefined && parents.includes(name))) return []
  const { properties = {}, required = [] } = api.resolve(object)
  return Object.entries(properties).flatMap(([key, schema]) => {
    const path = `${prefix}${key}${api.resolve(schema).type === 'array' ? '[]' : ''}`
    // The fields of alternatives would repeat each other, so only the first alternative with fields is expanded.
    const nested = objectsIn(api, schema)
      .slice(0, 1)
      .flatMap((inner) => fieldsIn(api, inner, `${path}.`, depth + 1, name === undefined ? parents : [...parents, name]))
    return [{ path, depth, required: required.includes(key), schema }, ...nested]
  })
}

/** Returns the fields of a body, each followed by the fields inside it. */
export const fieldsOf = (api: ApiDescription, schema: Schema): Field[] =>
  objectsIn(api, schema)
    .slice(0, 1)
    .flatMap((object) => fieldsIn(api, object, '', 0, []))
