import { constraintsOf, fieldsOf, type Schema, typeText } from '@flowpost/contract/reference'
import { table } from './markdown.ts'
import { api } from './openapi.ts'

const code = (text: string): string => `\`${text}\``

/** Returns the type of a schema in words. If only one value is permitted, returns that value as code. */
export const typeCell = (schema: Schema): string => {
  const text = typeText(api, schema)
  return text.startsWith('"') ? code(text) : text
}

/** Returns the description of a schema with its values, limits and default. */
export const describe = (schema: Schema): string => {
  const { values, limits, fallback } = constraintsOf(api, schema)
  return [
    api.resolve(schema).description ?? '',
    values.length === 0 ? '' : `One of ${values.map(code).join(', ')}.`,
    ...limits.map((limit) => `${limit.charAt(0).toUpperCase()}${limit.slice(1)}.`),
    fallback === undefined ? '' : `Default: ${code(fallback)}.`,
  ]
    .filter((part) => part !== '')
    .join(' ')
}

/** Returns a table of a body's fields. Nested fields have names such as `deliveries[].status`. */
export const fieldTable = (schema: Schema, direction: 'request' | 'response'): string =>
  table(
    ['Field', 'Type', 'Description'],
    fieldsOf(api, schema).map((field) => [
      `${code(field.path)}${direction === 'request' && field.required && field.depth === 0 ? ' <Badge type="warning" text="required" />' : ''}`,
      typeCell(field.schema),
      describe(field.schema),
    ]),
  )
