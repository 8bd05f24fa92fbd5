import type { OpenApiDocument } from '@flowpost/contract'
import type { Random } from './random.ts'

/** The keywords of a JSON Schema that determine generated values. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly 'x-extensible-enum'?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly examples?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly format?: string
}

/** Texts that often cause bugs. */
const hostileTexts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udc00\ud800',
  '\u{1F600}'.repeat(300),
  'e\u0301'.repeat(300),
  '\u202Ereversed',
  '\r\n.\r\nDATA',
  'a\r\nBcc: victim@example.com',
  "'; drop table projects; --",
  '%s%n%x',
  '{{subject}}{{message}}{{',
  '<script>alert(1)</script>',
  '../../../etc/passwd',
  '__proto__',
  'null',
  '-1',
  '1e309',
  'a'.repeat(1_001),
  '\\',
  '"',
  '\u2028\ufeff',
]

const unexpectedValues: readonly unknown[] = [null, true, false, 0, -1, 1.5, 1e308, [], {}, [[]], { a: 1 }, [null], { toString: 1 }]

/** Returns a text that often causes bugs. */
export const hostileText = (random: Random): string => random.pick(hostileTexts)

/** Returns the schema that a reference points to. */
const resolve = (document: OpenApiDocument, schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] as Schema)

/** The choices that affect the generated values of a request. */
export interface Choices {
  /** Returns the id for a field whose name ends with `_id`. */
  idOf(field: string): string
  /** Decides at random whether to replace a value with an unexpected one. */
  shouldMutate(probability: number): boolean
}

/**
 * Creates a generator of values for schemas. Most values are valid. A text matches a pattern only if the schema has an example
 * for it.
 */
export const createValues = (document: OpenApiDocument, random: Random, { idOf, shouldMutate }: Choices) => {
  const text = ({ maxLength = 40, examples, format, enum: closed, 'x-extensible-enum': open }: Schema): unknown => {
    if (closed) return random.pick(closed)
    if (open && !shouldMutate(0.1)) return random.pick(open)
    if (format === 'date-time') return new Date(Date.now() + (random.next() - 0.3) * 40 * 86_400_000).toISOString()
    if (examples && random.chance(0.7)) return random.pick(examples)
    if (shouldMutate(0.2)) return hostileText(random)
    return Array.from({ length: 1 + random.below(Math.min(maxLength, 30)) }, () => random.pick([...'abcXYZ059 .-_@éß日\u{1F600}{}'])).join(
      '',
    )
  }

  const createValue = (given: Schema, field = ''): unknown => {
    const schema = resolve(document, given)
    if (field.endsWith('_id')) return idOf(field)
    const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type
    switch (type) {
      case 'object':
        return Object.fromEntries(
          Object.entries(schema.properties ?? {})
            .filter(([key]) => schema.required?.includes(key) || random.chance(0.4))
            .map(([key, property]) => [key, createValue(property, key)]),
        )
      case 'array':
        return Array.from({ length: random.below(4) }, () => createValue(schema.items ?? {}))
      case 'integer':
      case 'number':
        return (schema.minimum ?? 0) + random.below((schema.maximum ?? 10) - (schema.minimum ?? 0) + 1)
      case 'boolean':
        return random.chance(0.5)
      case 'null':
        return null
      case 'string':
        return text(schema)
      default:
        return random.pick(unexpectedValues)
    }
  }

  /** Returns a copy of a value with one part added, removed or replaced by an unexpected value. */
  const corrupt = (value: unknown): unknown => {
    if (value === null || typeof value !== 'object' || random.chance(0.1))
      return random.chance(0.5) ? hostileText(random) : random.pick(unexpectedValues)
    const entries = Object.entries(value)
    const position = random.below(entries.length + 1)
    const [key] = entries[position] ?? []
    if (key === undefined)
      return { ...value, [random.pick(['extra', '__proto__x', 'constructor', 'id', '', '\u0000'])]: random.pick(unexpectedValues) }
    if (random.chance(0.3)) return Object.fromEntries(entries.filter((_, index) => index !== position))
    return Object.fromEntries(entries.map(([name, property], index) => [name, index === position ? corrupt(property) : property]))
  }

  return { createValue, corrupt }
}
