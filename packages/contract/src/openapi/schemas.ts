import { z } from 'zod'
import { SourceType } from '../flows.ts'

/** A JSON Schema as plain JSON: draft 2020-12, as in OpenAPI 3.1. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** The direction of a schema: `input` for requests, `output` for responses. */
export type Direction = 'input' | 'output'

/** A converter from zod schemas to JSON Schemas. Collects the schemas that have a name (a zod `id`). */
export interface Schemas {
  /** Returns the JSON Schema of a zod schema. For a named schema, returns a reference to its component instead. */
  of(schema: z.ZodType, direction: Direction): JsonSchema
  /** The named schemas, by name. */
  readonly components: Readonly<Record<string, JsonSchema>>
}

type Override = NonNullable<z.core.ToJSONSchemaParams['override']>
type OverrideContext = Parameters<Override>[0]

const componentPrefix = '#/components/schemas/'

/** Rewrites references to `$defs` as references to `components.schemas`. */
const hoistReferences = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(hoistReferences)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      key === '$ref' && typeof inner === 'string' ? [key, inner.replace('#/$defs/', componentPrefix)] : [key, hoistReferences(inner)],
    ),
  )
}

/** Replaces a schema's list of built-in providers with the providers that the deployment has registered. */
export const withSourceTypes = (schema: JsonSchema, sourceTypes: readonly string[]): JsonSchema => ({
  ...schema,
  'x-extensible-enum': [...sourceTypes],
  description: `The delivery provider. This deployment supports ${sourceTypes.map((id) => `\`${id}\``).join(', ')}.`,
  examples: [...sourceTypes],
})

const adjust = ({ zodSchema, jsonSchema }: OverrideContext, direction: Direction, sourceTypes: readonly string[] | undefined): void => {
  const { def } = zodSchema._zod
  // Sets the default explicitly, because zod omits the default of a preprocessed value, such as an integer in a query string
  // (`QueryInteger`).
  if (def.type === 'default' && direction === 'input') jsonSchema.default = structuredClone(def.defaultValue) as never
  // Allows additional fields in responses, because a newer server may return fields that a client does not know.
  if (direction === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
  // Removes the long pattern of timestamps, because the format `date-time` is enough. Also removes a pattern next to a
  // reference: for a copy of the schema `Timestamp`, such as `Timestamp.meta(...)`, zod creates a reference and adds the pattern.
  if (jsonSchema.format === 'date-time' || jsonSchema.$ref) delete jsonSchema.pattern
  if (sourceTypes && (zodSchema as unknown) === SourceType)
    Object.assign(jsonSchema, withSourceTypes(jsonSchema as JsonSchema, sourceTypes))
}

/**
 * Creates a {@link Schemas} that has no components yet.
 * @param sourceTypes The names of the providers that the deployment has registered. Default: the built-in ones.
 */
export const createSchemas = (sourceTypes?: readonly string[]): Schemas => {
  const components: Record<string, JsonSchema> = {}

  const add = (name: string, schema: JsonSchema): void => {
    const existing = components[name]
    if (existing && JSON.stringify(existing) !== JSON.stringify(schema))
      throw new Error(`Two schemas are named ${name}. A schema that differs between requests and responses needs two names.`)
    components[name] = schema
  }

  return {
    components,
    of: (schema, direction) => {
      const { $schema, $defs, ...root } = z.toJSONSchema(schema, {
        io: direction,
        override: (context) => adjust(context, direction, sourceTypes),
      })
      for (const [name, definition] of Object.entries($defs ?? {})) add(name, hoistReferences(definition) as JsonSchema)
      return hoistReferences(root) as JsonSchema
    },
  }
}
