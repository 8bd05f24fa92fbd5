import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { sourcesOf } from '../../generate/files.ts'
import { format } from '../../generate/format.ts'
import { contract, errors, route } from './contracts.ts'

/** The declaration of one type, as it is written. */
const declarationOf = (name: string, answer: z.ZodType, body?: z.ZodType): string | undefined => {
  const things = { make: route({ method: 'POST', body, responses: { 200: answer, ...errors } }) }
  const types = format(sourcesOf(contract({ things }), '1.0.0').get('src/generated/types.ts') ?? '')
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
  ])('is written for every construct: %s', (_, schema, written) => {
    expect(typeOf(schema)).toBe(written)
  })

  it('is written as what a transformed value is before, in a request', () => {
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
  ])('stops the generator, with the place, when its construct is unknown: %s', (_, schema) => {
    expect(() => typeOf(schema)).toThrow(/things\.make answer.*value/)
  })
})

describe('the name of a type', () => {
  const Level = z.enum(['low', 'high']).meta({ id: 'Level', description: 'How much.' })

  it('is one for both directions when the type is the same', () => {
    const Shared = z.object({ a: z.string() }).meta({ id: 'Shared' })
    const answer = z.object({ shared: Shared }).meta({ id: 'Thing' })
    const body = z.object({ shared: Shared }).meta({ id: 'ThingMake' })
    expect(declarationOf('ThingMake', answer, body)).toContain('shared: Shared')
    expect(declarationOf('SharedInput', answer, body)).toBeUndefined()
  })

  it('differs by direction when the type does, also because of one inside it', () => {
    const Box = z.object({ level: Level }).meta({ id: 'Box' })
    const answer = z.object({ box: Box }).meta({ id: 'Thing' })
    const body = z.object({ box: Box }).meta({ id: 'ThingMake' })
    expect(declarationOf('Level', answer, body)).toBe("export type Level = 'low' | 'high' | (string & {})")
    expect(declarationOf('LevelInput', answer, body)).toBe("export type LevelInput = 'low' | 'high'")
    expect(declarationOf('BoxInput', answer, body)).toContain('level: LevelInput')
    expect(declarationOf('ThingMake', answer, body)).toContain('box: BoxInput')
  })

  it('is made of the operation when the contract gives none', () => {
    expect(declarationOf('ThingMakeBody', z.object({}).meta({ id: 'Thing' }), z.object({ a: z.string() }))).toContain('a: string')
    expect(declarationOf('ThingMakeResult', z.object({ b: z.string() }))).toContain('b: string')
  })

  it('stops the generator when two schemas have the same', () => {
    const One = z.object({ a: z.string() }).meta({ id: 'Twin' })
    const Other = z.object({ a: z.number() })
    // The registry of zod refuses a second schema of the same name only when it sees it.
    Object.assign(Other, { meta: () => ({ id: 'Twin' }) })
    expect(() => declarationOf('Thing', z.object({ One, Other }).meta({ id: 'Thing' }))).toThrow(/two different schemas are called `Twin`/)
  })
})

describe('a doc comment', () => {
  it('holds description and default, and cannot be ended early', () => {
    const body = z.object({ on: z.boolean().meta({ description: 'Whether */ it is on.' }).default(true) }).meta({ id: 'ThingMake' })
    expect(declarationOf('ThingMake', z.object({}).meta({ id: 'Thing' }), body)).toContain(
      '/** Whether *\\/ it is on. Default: `true`. */\n  on?: boolean | undefined',
    )
  })
})
