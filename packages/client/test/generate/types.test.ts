import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { generateSources } from '../../generate/files.ts'
import { format } from '../../generate/format.ts'
import { contract, errors, route } from './contracts.ts'

/** Returns the generated declaration of one type. */
const declarationOf = (name: string, answer: z.ZodType, body?: z.ZodType): string | undefined => {
  const things = { make: route({ method: 'POST', body, responses: { 200: answer, ...errors } }) }
  const types = format(generateSources(contract({ things }), '1.0.0').get('src/generated/types.ts') ?? '')
  return new RegExp(`export (interface|type) ${name}\\b[\\s\\S]*?(\\n}|\\n\\n|\\n$)`).exec(types)?.[0].trim()
}

const typeOf = (schema: z.ZodType): string | undefined => {
  const declaration = declarationOf('Thing', z.object({ value: schema }).meta({ id: 'Thing' }))
  return declaration
    ?.replace(/^export interface Thing \{/, '')
    .replace(/\}$/, '')
    .trim()
}

describe('a type', () => {
  it.each([
    ['string', z.string(), 'value: string'],
    ['format', z.iso.datetime(), 'value: string'],
    ['integer', z.int().min(1), 'value: number'],
    ['nullable', z.boolean().nullable(), 'value: boolean | null'],
    ['optional', z.string().optional(), 'value?: string | undefined'],
    ['nullish', z.string().nullish(), 'value?: string | null | undefined'],
    ['literal', z.literal('a'), "value: 'a'"],
    ['literals', z.literal(['a', 1, null]), "value: 'a' | 1 | null"],
    ['enumeration', z.enum(['a', "it's"]), "value: 'a' | \"it's\" | (string & {})"],
    ['array of a union', z.array(z.union([z.string(), z.number()])), 'value: (string | number)[]'],
    ['record', z.record(z.string(), z.boolean()), 'value: Record<string, boolean>'],
    ['anything', z.unknown(), 'value: unknown'],
    ['read-only', z.array(z.string()).readonly(), 'value: string[]'],
    [
      'intersection',
      z.intersection(z.object({ a: z.string() }), z.record(z.string(), z.unknown())),
      'value: {\n    a: string\n  } & Record<string, unknown>',
    ],
    ['open object', z.looseObject({ a: z.string() }), 'value: {\n    a: string\n    [key: string]: unknown\n  }'],
    ['preprocessed', z.preprocess((value: number) => value, z.int()), 'value: number'],
    ['open enumeration', z.string().meta({ 'x-extensible-enum': ['a'] }), "value: 'a' | (string & {})"],
  ])('is generated for: %s', (_, schema, written) => {
    expect(typeOf(schema)).toBe(written)
  })

  it("is the transform's input type in a request", () => {
    const body = z.object({ value: z.string().transform(Number) }).meta({ id: 'ThingMake' })
    expect(declarationOf('ThingMake', z.object({}).meta({ id: 'Thing' }), body)).toContain('value: string')
  })

  it.each([
    ['date', z.date()],
    ['bigint', z.bigint()],
    ['transform', z.string().transform(Number)],
    ['tuple', z.tuple([z.string()])],
    ['map', z.map(z.string(), z.string())],
    ['undefined literal', z.literal(undefined)],
    ['numeric enumeration', z.enum({ a: 1 } as never)],
    ['closed catch-all', z.object({}).catchall(z.string())],
    ['recursion', z.lazy(() => z.string())],
  ])('fails the generator with the location of an unsupported schema: %s', (_, schema) => {
    expect(() => typeOf(schema)).toThrow(/things\.make response.*value/)
  })
})

describe('the name of a type', () => {
  const Level = z.enum(['low', 'high']).meta({ id: 'Level', description: 'How much.' })

  it('is shared by both directions when the type is the same', () => {
    const Shared = z.object({ a: z.string() }).meta({ id: 'Shared' })
    const answer = z.object({ shared: Shared }).meta({ id: 'Thing' })
    const body = z.object({ shared: Shared }).meta({ id: 'ThingMake' })
    expect(declarationOf('ThingMake', answer, body)).toContain('shared: Shared')
    expect(declarationOf('SharedInput', answer, body)).toBeUndefined()
  })

  it('differs by direction when the type or a nested type differs', () => {
    const Box = z.object({ level: Level }).meta({ id: 'Box' })
    const answer = z.object({ box: Box }).meta({ id: 'Thing' })
    const body = z.object({ box: Box }).meta({ id: 'ThingMake' })
    expect(declarationOf('Level', answer, body)).toBe("export type Level = 'low' | 'high' | (string & {})")
    expect(declarationOf('LevelInput', answer, body)).toBe("export type LevelInput = 'low' | 'high'")
    expect(declarationOf('BoxInput', answer, body)).toContain('level: LevelInput')
    expect(declarationOf('ThingMake', answer, body)).toContain('box: BoxInput')
  })

  it('is derived from the operation when the contract does not name the type', () => {
    expect(declarationOf('ThingMakeBody', z.object({}).meta({ id: 'Thing' }), z.object({ a: z.string() }))).toContain('a: string')
    expect(declarationOf('ThingMakeResult', z.object({ b: z.string() }))).toContain('b: string')
  })

  it('fails the generator when two schemas have the same name', () => {
    const One = z.object({ a: z.string() }).meta({ id: 'Twin' })
    const Other = z.object({ a: z.number() })
    // The zod registry would reject the second schema before the generator sees it.
    Object.assign(Other, { meta: () => ({ id: 'Twin' }) })
    expect(() => declarationOf('Thing', z.object({ One, Other }).meta({ id: 'Thing' }))).toThrow(
      /two different schemas have the name `Twin`/,
    )
  })
})

describe('a doc comment', () => {
  it('contains description and default, and escapes the end of the comment', () => {
    const body = z.object({ on: z.boolean().meta({ description: 'Whether */ it is on.' }).default(true) }).meta({ id: 'ThingMake' })
    expect(declarationOf('ThingMake', z.object({}).meta({ id: 'Thing' }), body)).toContain(
      '/** Whether *\\/ it is on. Default: `true`. */\n  on?: boolean | undefined',
    )
  })
})
