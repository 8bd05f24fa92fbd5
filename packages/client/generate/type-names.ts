import { anonymousType, type Direction, type NameOf, type Schema } from './schema.ts'

/** A named type of the SDK. */
export interface NamedType {
  readonly name: string
  readonly schema: Schema
  readonly direction: Direction
}

/** The type names that a set of operations uses. */
export interface TypeNames {
  /** Registers a schema. `fallback` is its name if the contract does not name it. */
  register(schema: Schema, direction: Direction, fallback: string, where: string): void
  /** Resolves the names. Must be called after all schemas are registered. */
  resolve(): void
  /** Returns the name to print for a schema. */
  readonly nameOf: NameOf
  /** Returns all named types in order of registration. */
  all(): NamedType[]
}

interface Entry {
  readonly id: string
  readonly schema: Schema
  readonly directions: Set<Direction>
}

/**
 * Collects named types. A schema that is used in both requests and responses has one name if its type is the same in
 * both. Otherwise, the request type is named `<name>Input`.
 */
export const createTypeNames = (): TypeNames => {
  const entries = new Map<string, Entry>()
  const fallbackNames = new Map<Schema, string>()
  const split = new Set<string>()

  const idOf = (schema: Schema): string | undefined => fallbackNames.get(schema) ?? schema.meta()?.id

  const nameOf: NameOf = (schema, direction) => {
    const id = idOf(schema)
    return id && direction === 'input' && split.has(id) ? `${id}Input` : id
  }

  const print = ({ schema, id }: Entry, direction: Direction) => anonymousType(schema, direction, nameOf, id)

  // Registers a schema and all named schemas in it. To find the named schemas, calls `anonymousType`, which passes each nested
  // schema to its callback. The type that `anonymousType` returns is not used.
  const record = (schema: Schema, direction: Direction, id: string, where: string): void => {
    if (!/^[A-Z]\w*$/.test(id)) throw new Error(`${where}: \`${id}\` is not a valid type name.`)
    const entry = entries.get(id) ?? { id, schema, directions: new Set<Direction>() }
    if (entry.schema !== schema && print(entry, direction) !== print({ ...entry, schema }, direction))
      throw new Error(`${where}: two different schemas have the name \`${id}\`.`)
    entries.set(id, entry)
    if (entry.directions.has(direction)) return
    entry.directions.add(direction)
    anonymousType(
      schema,
      direction,
      (inner, way) => {
        const innerId = idOf(inner)
        if (innerId) record(inner, way, innerId, `${where} > ${innerId}`)
        return innerId
      },
      where,
    )
  }

  return {
    register: (schema, direction, fallback, where) => {
      const id = schema.meta()?.id
      if (!id && [...fallbackNames.values()].includes(fallback) && fallbackNames.get(schema) !== fallback)
        throw new Error(`${where}: another schema has the name \`${fallback}\`.`)
      if (!id) fallbackNames.set(schema, fallback)
      record(schema, direction, id ?? fallback, where)
    },
    resolve: () => {
      const both = [...entries.values()].filter(({ directions }) => directions.size === 2)
      // A type is split if its input and output differ. Each split can make the types that contain it differ too, so the loop
      // repeats until a pass splits nothing.
      for (let before = -1; before !== split.size; ) {
        before = split.size
        for (const entry of both) if (print(entry, 'input') !== print(entry, 'output')) split.add(entry.id)
      }
      for (const id of split) if (entries.has(`${id}Input`)) throw new Error(`Another schema has the name \`${id}Input\`.`)
    },
    nameOf,
    all: () =>
      [...entries.values()].flatMap(({ id, schema, directions }) => {
        const output: NamedType = { name: id, schema, direction: directions.has('output') ? 'output' : 'input' }
        return split.has(id) ? [output, { name: `${id}Input`, schema, direction: 'input' }] : [output]
      }),
  }
}
