import { type Alternative, conditionOf, valuesText } from './alternatives.ts'
import type { ApiDescription, Schema } from './api-description.ts'

/** An {@link Alternative} that contains the field to merge, with its schema for that field. */
export interface Holder {
  readonly alternative: Alternative
  readonly schema: Schema
}

const haveSame = (schemas: readonly Schema[], keyword: string): boolean =>
  new Set(schemas.map((schema) => JSON.stringify(schema[keyword as keyof Schema]))).size === 1

/**
 * Returns one description for a field that several alternatives have. If the alternatives describe the field differently, the
 * result names the discriminator values for each text, for example "`smtp`: An email address. `webhook`: A URL."
 */
const mergeDescriptions = (holders: readonly Holder[]): string => {
  const byText = [...Map.groupBy(holders, ({ schema }) => schema.description ?? '')].filter(([text]) => text !== '')
  if (byText.length < 2) return byText[0]?.[0] ?? ''
  return byText
    .map(([text, sharing]) => {
      const condition = conditionOf(sharing.map(({ alternative }) => alternative))
      return condition ? `${valuesText(condition)}: ${text}` : text
    })
    .join(' ')
}

/** Merges the schemas of a field that several alternatives have. The merged schema permits the values of each alternative. */
export const mergeSchemas = (api: ApiDescription, holders: readonly Holder[]): Schema => {
  const [first] = holders
  if (first === undefined) return {}
  if (new Set(holders.map(({ schema }) => JSON.stringify(schema))).size === 1) return first.schema
  const resolved = holders.map(({ alternative, schema }) => ({ alternative, schema: api.resolve(schema) }))
  const schemas = resolved.map(({ schema }) => schema)
  const lists = schemas.map(({ const: value, enum: closed, 'x-extensible-enum': open }) =>
    value === undefined ? (closed ?? open) : [value],
  )
  const values = lists.every((options) => options !== undefined) ? [...new Set(lists.flat())] : undefined
  const shared = Object.fromEntries(Object.entries(schemas[0] ?? {}).filter(([keyword]) => haveSame(schemas, keyword)))
  return {
    ...(['type', 'anyOf', 'oneOf'].every((keyword) => haveSame(schemas, keyword)) ? shared : { anyOf: schemas }),
    ...(values && { [schemas.some((schema) => schema['x-extensible-enum']) ? 'x-extensible-enum' : 'enum']: values }),
    description: mergeDescriptions(resolved),
  }
}
