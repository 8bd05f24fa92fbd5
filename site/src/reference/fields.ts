import { constraintsOf, fieldsOf, type Schema, typeText } from '@flowpost/contract/reference'
import { table } from './markdown.ts'
import { api } from './openapi.ts'

const code = (text: string): string => `\`${text}\``

/** Returns the type of a schema in words. If only one value is permitted, returns that value as code. */
export const typeCell = (schema: Schema): string => {
  const text = typeText(api, schema)
  return text.startsWith('"') ? code(text) : text
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

/** Returns the description of a schema with its values, limits and default. */
export const describe = (schema: Schema): string => {
  const { values, valuesLabel, limits, fallback } = constraintsOf(api, schema)
  return [
    api.resolve(schema).description ?? '',
    values.length === 0 ? '' : sentence(`${valuesLabel} ${values.map(code).join(', ')}`),
    ...limits.map(sentence),
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
      `${code(field.path)}${direction === 'request' && field.required ? ' <Badge type="warning" text="required" />' : ''}`,
      typeCell(field.schema),
      [field.condition === undefined ? '' : sentence(field.condition), describe(field.schema)].filter((part) => part !== '').join(' '),
    ]),
  )
