import type { OpenApiDocument } from '@flowpost/contract'
import type { Random } from './random.ts'

/** A JSON Schema as far as values are made of it. */
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

/** Texts that have broken something somewhere. */
const nastyTexts = [
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

const strangers: readonly unknown[] = [null, true, false, 0, -1, 1.5, 1e308, [], {}, [[]], { a: 1 }, [null], { toString: 1 }]

/** A text that nobody expects. */
export const nastyText = (random: Random): string => random.pick(nastyTexts)

/** The schema that a reference leads to. */
const resolve = (document: OpenApiDocument, schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] as Schema)

/** How values are chosen beside what their schemas say. */
export interface Choices {
  idOf(field: string): string
  /** Whether something goes wrong here. */
  mishap(probability: number): boolean
}

/** Makes values that a schema accepts, mostly: patterns are met through examples only. */
export const createValues = (document: OpenApiDocument, random: Random, { idOf, mishap }: Choices) => {
  const text = ({ maxLength = 40, examples, format, enum: closed, 'x-extensible-enum': open }: Schema): unknown => {
    if (closed) return random.pick(closed)
    if (open && !mishap(0.1)) return random.pick(open)
    if (format === 'date-time') return new Date(Date.now() + (random.next() - 0.3) * 40 * 86_400_000).toISOString()
    if (examples && random.chance(0.7)) return random.pick(examples)
    if (mishap(0.2)) return nastyText(random)
    return Array.from({ length: 1 + random.below(Math.min(maxLength, 30)) }, () => random.pick([...'abcXYZ059 .-_@éß日\u{1F600}{}'])).join(
      '',
    )
  }

  const ofSchema = (given: Schema, field = ''): unknown => {
    const schema = resolve(document, given)
    if (field.endsWith('_id')) return idOf(field)
    const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type
    switch (type) {
      case 'object':
        return Object.fromEntries(
          Object.entries(schema.properties ?? {})
            .filter(([key]) => schema.required?.includes(key) || random.chance(0.4))
            .map(([key, inner]) => [key, ofSchema(inner, key)]),
        )
      case 'array':
        return Array.from({ length: random.below(4) }, () => ofSchema(schema.items ?? {}))
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
        return random.pick(strangers)
    }
  }

  /** Changes one place of a value to what does not belong there. */
  const spoil = (value: unknown): unknown => {
    if (value === null || typeof value !== 'object' || random.chance(0.1))
      return random.chance(0.5) ? nastyText(random) : random.pick(strangers)
    const entries = Object.entries(value)
    const at = random.below(entries.length + 1)
    const [key] = entries[at] ?? []
    if (key === undefined)
      return { ...value, [random.pick(['extra', '__proto__x', 'constructor', 'id', '', '\u0000'])]: random.pick(strangers) }
    if (random.chance(0.3)) return Object.fromEntries(entries.filter((_, index) => index !== at))
    return Object.fromEntries(entries.map(([name, inner], index) => [name, index === at ? spoil(inner) : inner]))
  }

  return { ofSchema, spoil }
}
