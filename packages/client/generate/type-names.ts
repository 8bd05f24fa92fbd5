import { anonymousType, type Direction, type NameOf, type Schema } from './schema.ts'

/** A type of the SDK that has a name. */
export interface NamedType {
  readonly name: string
  readonly schema: Schema
  readonly direction: Direction
}

/** The names of the types that a set of operations uses. */
export interface TypeNames {
  /** Records that a schema is used; `fallback` names it when the contract does not. */
  use(schema: Schema, direction: Direction, fallback: string, where: string): void
  /** Decides the names, once every use is recorded. */
  settle(): void
  /** The name to print for a schema. */
  readonly nameOf: NameOf
  /** Every named type, in the order of use. */
  all(): NamedType[]
}

interface Entry {
  readonly id: string
  readonly schema: Schema
  readonly directions: Set<Direction>
}

/**
 * Collects named types. A schema that is used in both directions has one name when its type is the
 * same in both; otherwise what is sent is called `<name>Input`.
 */
export const createTypeNames = (): TypeNames => {
  const entries = new Map<string, Entry>()
  const given = new Map<Schema, string>()
  const split = new Set<string>()

  const idOf = (schema: Schema): string | undefined => given.get(schema) ?? schema.meta()?.id

  const nameOf: NameOf = (schema, direction) => {
    const id = idOf(schema)
    return id && direction === 'input' && split.has(id) ? `${id}Input` : id
  }

  const print = ({ schema, id }: Entry, direction: Direction) => anonymousType(schema, direction, nameOf, id)

  // Printing a type asks for the name of every type in it, which is how nested ones are found.
  const record = (schema: Schema, direction: Direction, id: string, where: string): void => {
    if (!/^[A-Z]\w*$/.test(id)) throw new Error(`${where}: \`${id}\` is not a name for a type.`)
    const known = entries.get(id) ?? { id, schema, directions: new Set<Direction>() }
    if (known.schema !== schema && print(known, direction) !== print({ ...known, schema }, direction))
      throw new Error(`${where}: two different schemas are called \`${id}\`.`)
    entries.set(id, known)
    if (known.directions.has(direction)) return
    known.directions.add(direction)
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
    use: (schema, direction, fallback, where) => {
      const id = schema.meta()?.id
      if (!id && [...given.values()].includes(fallback) && given.get(schema) !== fallback)
        throw new Error(`${where}: the name \`${fallback}\` is taken.`)
      if (!id) given.set(schema, fallback)
      record(schema, direction, id ?? fallback, where)
    },
    settle: () => {
      const both = [...entries.values()].filter(({ directions }) => directions.size === 2)
      // A type differs when one inside it does, so this runs until nothing changes.
      for (let before = -1; before !== split.size; ) {
        before = split.size
        for (const entry of both) if (print(entry, 'input') !== print(entry, 'output')) split.add(entry.id)
      }
      for (const id of split) if (entries.has(`${id}Input`)) throw new Error(`The name \`${id}Input\` is taken.`)
    },
    nameOf,
    all: () =>
      [...entries.values()].flatMap(({ id, schema, directions }) => {
        const output: NamedType = { name: id, schema, direction: directions.has('output') ? 'output' : 'input' }
        return split.has(id) ? [output, { name: `${id}Input`, schema, direction: 'input' }] : [output]
      }),
  }
}
