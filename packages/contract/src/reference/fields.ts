import { type Alternative, alternativesIn, conditionOf, mergeEqual, valuesText } from './alternatives.ts'
import type { ApiDescription, Schema } from './api-description.ts'
import { mergeSchemas } from './merge-schemas.ts'

// A longer pattern is not shown, because it is harder to read than the field's description.
const maxPatternLength = 40

/** A value's constraints and default, in the form that an API reference shows. */
export interface Constraints {
  /** The permitted values as JSON. For an array, the values that its items may have. */
  readonly values: readonly string[]
  /** A phrase that introduces the values, such as `One of`. */
  readonly valuesLabel: string
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
  /** When the field can be present, in Markdown, such as "only if `type` is `email`". Absent if there is no condition. */
  readonly condition?: string
  readonly schema: Schema
}

const typesOf = (api: ApiDescription, schema: Schema): string[] => {
  const { type, items: item, anyOf, oneOf, format, properties, ...resolved } = api.resolve(schema)
  if (resolved.const !== undefined) return [JSON.stringify(resolved.const)]
  const variants = anyOf ?? oneOf
  if (variants) return variants.flatMap((variant) => typesOf(api, variant))
  if (type === 'array') return [item ? `array of ${typeText(api, item)}` : 'array']
  if (typeof type === 'object') return [...type]
  if (type === 'string' && format === 'date-time') return ['timestamp']
  return [type ?? (properties ? 'object' : 'any')]
}

/** Returns the type of a schema in words, such as `string`, `array of string` or `string or null`. */
export const typeText = (api: ApiDescription, schema: Schema): string => [...new Set(typesOf(api, schema))].join(' or ')

const characters = ['character', 'characters'] as const
const items = ['item', 'items'] as const
const entries = ['entry', 'entries'] as const

const rangeText = (min: number | undefined, max: number | undefined, unit?: readonly [singular: string, plural: string]): string[] => {
  const count = (value: number) => `${value.toLocaleString('en-US')}${unit ? ` ${unit[value === 1 ? 0 : 1]}` : ''}`
  // A minimum length or count of 0 is omitted, because it excludes nothing. A minimum value of 0 excludes negative numbers.
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

/** Resolves a schema. If its `anyOf` has only one variant besides `null`, copies that variant's keywords into the result. */
const withoutNull = (api: ApiDescription, schema: Schema): Schema => {
  const resolved = api.resolve(schema)
  const others = (resolved.anyOf ?? []).map(api.resolve).filter(({ type }) => type !== 'null')
  return others.length === 1 ? { ...others[0], ...resolved } : resolved
}

const isArray = (api: ApiDescription, schema: Schema): boolean => withoutNull(api, schema).type === 'array'

/** Returns the values that a schema or its items permit, and a phrase that introduces them. */
const permittedValues = (api: ApiDescription, schema: Schema): readonly [options: readonly unknown[], label: string] => {
  if (schema.items) {
    const [options, label] = permittedValues(api, withoutNull(api, schema.items))
    return [options, `Each is ${label.toLowerCase()}`]
  }
  // A newer server can return values that are not in an extensible enum.
  return schema.enum ? [schema.enum, 'One of'] : [schema['x-extensible-enum'] ?? [], 'Currently one of']
}

const numbersIn = (text: string): string[] => text.replace(/(?<=\d),(?=\d)/g, '').match(/-?\d+/g) ?? []

/** Returns whether a description contains the last number of a limit, such as the 64 of `1 to 64 characters`. */
const isStated = (limit: string, description: string): boolean => numbersIn(description).includes(numbersIn(limit).at(-1) ?? '')

/** Returns a schema's constraints, without those that the schema's description already states. */
export const constraintsOf = (api: ApiDescription, schema: Schema): Constraints => {
  const resolved = withoutNull(api, schema)
  const { description = '', default: fallback, pattern } = resolved
  const [options, valuesLabel] = permittedValues(api, resolved)
  const isMentioned = options.every((option) => description.includes(`\`${option}\``))
  const limits = limitsOf(resolved).filter((limit) => !isStated(limit, description))
  return {
    values: isMentioned ? [] : options.map((option) => JSON.stringify(option)),
    valuesLabel,
    limits,
    ...(pattern !== undefined && pattern.length <= maxPatternLength ? { pattern } : {}),
    ...(fallback === undefined || /default/i.test(description) ? {} : { fallback: JSON.stringify(fallback) }),
  }
}

/** Returns the fields of an object with several alternatives. A field that several of them have is listed once. */
const fieldsIn = (api: ApiDescription, alternatives: readonly Alternative[], prefix: string, depth: number): Field[] =>
  [...new Set(alternatives.flatMap(({ properties }) => Object.keys(properties)))].flatMap((key) => {
    const holders = alternatives.flatMap((alternative) => {
      const schema = alternative.properties[key]
      return schema ? [{ alternative, schema }] : []
    })
    const schema = mergeSchemas(api, holders)
    const path = `${prefix}${key}${isArray(api, schema) ? '[]' : ''}`
    const condition = holders.length < alternatives.length ? conditionOf(holders.map(({ alternative }) => alternative)) : undefined
    const field: Field = {
      path,
      depth,
      required: alternatives.every(({ required }) => required.includes(key)),
      schema,
      ...(condition && { condition: `only if \`${condition.field}\` is ${valuesText(condition)}` }),
    }
    const nested = holders.flatMap((holder) => alternativesIn(api, holder.schema, `${path}.`, holder.alternative))
    return [field, ...fieldsIn(api, mergeEqual(nested), `${path}.`, depth + 1)]
  })

/** Returns the fields of a body, each followed by the fields inside it. */
export const fieldsOf = (api: ApiDescription, schema: Schema): Field[] => fieldsIn(api, alternativesIn(api, schema, ''), '', 0)
