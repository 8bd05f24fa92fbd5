import type { ApiDescription, Schema } from './api-description.ts'

/** The condition for an {@link Alternative}: the discriminator field has one of the listed values. */
export interface Condition {
  /** The path of the discriminator in the body, such as `data[].type`. */
  readonly field: string
  readonly values: readonly string[]
  /** The discriminator values of every alternative, in one list. */
  readonly allValues: readonly string[]
}

/** One of the object types that a schema permits. */
export interface Alternative {
  readonly properties: Readonly<Record<string, Schema>>
  readonly required: readonly string[]
  /** The discriminator values that select this alternative. Absent if no discriminator selects it. */
  readonly condition?: Condition
  /** The properties of each object type that contains this one, from the outermost to the innermost. */
  readonly ancestors: readonly Alternative['properties'][]
}

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)]

/** Returns the values in a schema's `const` or `enum`; an empty list for any other schema, including an extensible enum. */
const listedValues = ({ const: value, enum: options = [] }: Schema): readonly unknown[] => (value === undefined ? options : [value])

/** Returns the object schemas inside a schema: the schema itself, its variants, or the items of an array. */
const objectsIn = (api: ApiDescription, schema: Schema): Schema[] => {
  const resolved = api.resolve(schema)
  const { anyOf, oneOf, allOf, items, properties } = resolved
  if (properties) return [resolved]
  if (items) return objectsIn(api, items)
  return (anyOf ?? oneOf ?? allOf ?? []).flatMap((variant) => objectsIn(api, variant))
}

/**
 * Returns the name of the discriminator: a field whose value shows which of the schemas an object matches. Every schema must
 * list the values that it permits for the field, and no value may be permitted by two schemas.
 */
const discriminatorOf = (objects: readonly Schema[]): string | undefined => {
  if (objects.length < 2) return undefined
  return Object.keys(objects[0]?.properties ?? {}).find((name) => {
    const lists = objects.map(({ properties = {} }) => listedValues(properties[name] ?? {}))
    return lists.every(({ length }) => length > 0) && unique(lists.flat()).length === lists.flat().length
  })
}

/**
 * Returns the object types that a schema permits. Omits a type that is already one of the ancestors, so that a
 * recursive schema does not cause infinite recursion.
 * @param prefix The path of the object in the body, such as `data[].`.
 */
export const alternativesIn = (api: ApiDescription, schema: Schema, prefix: string, parent?: Alternative): Alternative[] => {
  const objects = objectsIn(api, schema)
  const ancestors = parent ? [...parent.ancestors, parent.properties] : []
  const name = discriminatorOf(objects)
  const valuesOf = ({ properties = {} }: Schema): string[] => listedValues(properties[name ?? ''] ?? {}).map(String)
  return objects.flatMap((object) => {
    const { properties = {}, required = [] } = object
    if (ancestors.includes(properties)) return []
    const condition =
      name === undefined ? parent?.condition : { field: `${prefix}${name}`, values: valuesOf(object), allValues: objects.flatMap(valuesOf) }
    return [{ properties, required, ancestors, ...(condition && { condition }) }]
  })
}

/**
 * If every alternative has a condition on the same field, combines these conditions into a single condition that lists all
 * their values. Otherwise, returns `undefined`.
 */
export const conditionOf = (alternatives: readonly Alternative[]): Condition | undefined => {
  const conditions = alternatives.map(({ condition }) => condition)
  const [first] = conditions
  if (first === undefined || conditions.some((condition) => condition?.field !== first.field)) return undefined
  return { ...first, values: unique(conditions.flatMap((condition) => condition?.values ?? [])) }
}

/** Merges the alternatives that have the same object type. */
export const mergeEqual = (alternatives: readonly Alternative[]): Alternative[] =>
  [...Map.groupBy(alternatives, ({ properties }) => properties)].map(([properties, equal]) => {
    const condition = conditionOf(equal)
    const { required = [], ancestors = [] } = equal[0] ?? {}
    return { properties, required, ancestors, ...(condition && { condition }) }
  })

const list = new Intl.ListFormat('en-GB', { type: 'disjunction' })

/**
 * Returns the values of a condition as Markdown. A value's prefix is its text up to and including the first dot, such as
 * `delivery.`. If at least two of `allValues` have the same prefix, and the condition has all of them, a pattern such as
 * `delivery.*` replaces them.
 */
export const valuesText = ({ values, allValues }: Condition): string => {
  const shortened = values.map((value) => {
    const prefix = value.slice(0, value.indexOf('.') + 1)
    const family = prefix === '' ? [] : allValues.filter((other) => other.startsWith(prefix))
    return family.length > 1 && family.every((member) => values.includes(member)) ? `${prefix}*` : value
  })
  return list.format(unique(shortened).map((value) => `\`${value}\``))
}
