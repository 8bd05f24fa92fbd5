import { z } from 'zod'
import { SourceType } from '../flows.ts'

/** A JSON Schema (draft 2020-12, as OpenAPI 3.1 has it), as plain JSON. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** Whether a schema is of what a client sends or of what the server answers. */
export type Direction = 'input' | 'output'

/** Makes JSON Schemas of zod schemas and gathers those that have a name. */
export interface Schemas {
  /** The schema, or a reference to it when it has a name. */
  of(schema: z.ZodType, direction: Direction): JsonSchema
  /** The schemas with a name, by name. */
  readonly components: Readonly<Record<string, JsonSchema>>
}

type Override = NonNullable<z.core.ToJSONSchemaParams['override']>
type OverrideContext = Parameters<Override>[0]

const componentPrefix = '#/components/schemas/'

/** Points references at `components.schemas`, where OpenAPI keeps what JSON Schema has in `$defs`. */
const hoistReferences = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(hoistReferences)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      key === '$ref' && typeof inner === 'string' ? [key, inner.replace('#/$defs/', componentPrefix)] : [key, hoistReferences(inner)],
    ),
  )
}

/** Says which providers a deployment serves, in place of the built-in ones. */
export const withSourceTypes = (schema: JsonSchema, sourceTypes: readonly string[]): JsonSchema => ({
  ...schema,
  'x-extensible-enum': [...sourceTypes],
  description: `The delivery provider. This deployment serves ${sourceTypes.map((id) => `\`${id}\``).join(', ')}.`,
  examples: [...sourceTypes],
})

const adjust = ({ zodSchema, jsonSchema }: OverrideContext, direction: Direction, sourceTypes: readonly string[] | undefined): void => {
  const { def } = zodSchema._zod
  // zod leaves out the default of a value that is read from text, as every query parameter is.
  if (def.type === 'default' && direction === 'input') jsonSchema.default = structuredClone(def.defaultValue) as never
  // A newer server may answer with a field that a client does not know yet.
  if (direction === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
  // The format says it; the pattern that zod adds is 300 characters of calendar.
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
  if (sourceTypes && (zodSchema as unknown) === SourceType)
    Object.assign(jsonSchema, withSourceTypes(jsonSchema as JsonSchema, sourceTypes))
}

/**
 * Starts with no schemas.
 * @param sourceTypes the providers that a deployment serves; default: what the contract says of them.
 */
export const createSchemas = (sourceTypes?: readonly string[]): Schemas => {
  const components: Record<string, JsonSchema> = {}

  const add = (name: string, schema: JsonSchema): void => {
    const known = components[name]
    if (known && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`The name ${name} stands for two schemas. One that differs between requests and answers needs a name for each.`)
    components[name] = schema
  }

  return {
    components,
    of: (schema, direction) => {
      const { $schema, $defs, ...root } = z.toJSONSchema(schema, {
        io: direction,
        override: (context) => adjust(context, direction, sourceTypes),
      })
      for (const [name, each] of Object.entries($defs ?? {})) add(name, hoistReferences(each) as JsonSchema)
      return hoistReferences(root) as JsonSchema
    },
  }
}
