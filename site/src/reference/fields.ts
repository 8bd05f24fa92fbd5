import { table } from './markdown.ts'
import { nameOf, resolve, type Schema } from './openapi.ts'

const maxDepth = 4

const json = (value: unknown): string => `\`${JSON.stringify(value)}\``

/** Returns the type of a schema in words, such as `string`, `array of string` or `string or null`. */
export const typeText = (schema: Schema): string => {
  const resolved = resolve(schema)
  const { type, items, anyOf, oneOf, format, properties } = resolved
  if (resolved.const !== undefined) return json(resolved.const)
  const variants = anyOf ?? oneOf
  if (variants) return [...new Set(variants.map(typeText))].join(' or ')
  if (type === 'array') return items ? `array of ${typeText(items)}` : 'array'
  if (Array.isArray(type)) return type.join(' or ')
  if (type === 'string' && format === 'date-time') return 'timestamp'
  if (typeof type === 'string') return type
  return properties ? 'object' : 'any'
}

const values = ({ enum: options }: Schema): string => (options ? `One of ${options.map(json).join(', ')}.` : '')

const limits = (schema: Schema): string => {
  const { minimum, maximum } = schema
  if (minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER) return `${minimum} to ${maximum}.`
  return ''
}

/** Returns the description of a schema with its values, limits and default. */
export const describe = (schema: Schema): string => {
  const resolved = resolve(schema)
  const { description = '', default: fallback } = resolved
  const limit = description.includes(' to ') ? '' : limits(resolved)
  const isListed = (resolved.enum ?? []).every((option) => description.includes(String(option)))
  const options = isListed ? '' : values(resolved)
  const defaultText = fallback === undefined || /default/i.test(description) ? '' : `Default: ${json(fallback)}.`
  return [description, options, limit, defaultText].filter((part) => part !== '').join(' ')
}

/** Returns the object schemas inside a schema: itself, its variants, or the items of an array. */
const objectsIn = (schema: Schema): readonly Schema[] => {
  const { anyOf, oneOf, allOf, items, properties } = resolve(schema)
  if (properties) return [schema]
  if (items) return objectsIn(items)
  return (anyOf ?? oneOf ?? allOf ?? []).flatMap(objectsIn)
}

interface Field {
  readonly path: string
  readonly schema: Schema
  readonly required: boolean
}

const fieldsOf = (schema: Schema, prefix: string, depth: number, parents: readonly string[]): Field[] => {
  const name = nameOf(schema)
  if (depth > maxDepth || (name !== undefined && parents.includes(name))) return []
  const { properties = {}, required = [] } = resolve(schema)
  return Object.entries(properties).flatMap(([key, property]) => {
    const suffix = resolve(property).type === 'array' ? '[]' : ''
    const path = `${prefix}${key}${suffix}`
    const inner = objectsIn(property)
    // The fields of alternatives would repeat each other, so only the first alternative with fields is expanded.
    const nested = inner.slice(0, 1).flatMap((object) => fieldsOf(object, `${path}.`, depth + 1, name ? [...parents, name] : parents))
    return [{ path, schema: property, required: required.includes(key) }, ...nested]
  })
}

/** Returns a table of the fields of a body, with nested fields as `deliveries[].status`. */
export const fieldTable = (schema: Schema, direction: 'request' | 'response'): string => {
  const fields = objectsIn(schema)
    .slice(0, 1)
    .flatMap((object) => fieldsOf(object, '', 1, []))
  return table(
    ['Field', 'Type', 'Description'],
    fields.map(({ path, schema: property, required }) => [
      `\`${path}\`${direction === 'request' && required && !path.includes('.') ? ' <Badge type="warning" text="required" />' : ''}`,
      typeText(property),
      describe(property),
    ]),
  )
}
