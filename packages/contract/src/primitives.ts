import { z } from 'zod'

/** The prefixes of Flowpost's identifiers, by the kind of resource that they name. */
export const idPrefixes = {
  project: 'prj',
  flow: 'flw',
  notification: 'ntf',
  delivery: 'dlv',
  attempt: 'att',
  apiKey: 'key',
} as const

/** A kind of resource that carries an identifier. */
export type IdKind = keyof typeof idPrefixes

/**
 * The shape of a TypeID: a prefix, `_`, and a UUIDv7 in 26 characters of base32.
 * Source: TypeID specification 0.3, https://github.com/jetify-com/typeid/tree/main/spec.
 */
export const idPattern = (kind: IdKind) => new RegExp(`^${idPrefixes[kind]}_[0-7][0-9a-hjkmnp-tv-z]{25}$`)

const idExample = (kind: IdKind) => `${idPrefixes[kind]}_01jdv3k2m8f6wbn0q4z5t7x9ya`

/** An identifier in an answer: always of its kind's exact shape. */
export const Id = (kind: IdKind, description: string) =>
  z
    .string()
    .regex(idPattern(kind))
    .meta({ description, examples: [idExample(kind)] })

/**
 * An identifier in a request. Its shape is not validated: an id that no resource can have is one
 * that this user has no resource for, so it answers 404 like any other unknown id.
 */
export const IdParam = (kind: IdKind, description: string) => z.string().meta({ description, examples: [idExample(kind)] })

/** An instant in an answer: RFC 3339 in UTC with milliseconds. */
export const Timestamp = z.iso
  .datetime({ precision: 3 })
  .meta({ id: 'Timestamp', description: 'RFC 3339 in UTC with milliseconds.', examples: ['2026-11-21T09:30:00.000Z'] })

const loneSurrogate = /\p{Surrogate}/u
const controlCharacter = /\p{Cc}/u
const lineBreak = /[\r\n]/

/** What a text may hold; every limit counts Unicode code points after normalisation. */
export interface TextRule {
  /** Fewest code points. Default 1. */
  readonly min?: number
  /** Most code points. */
  readonly max: number
  /** Trim white space at both ends and bring to NFC before the rest is checked. */
  readonly normalize?: boolean
  /** Characters refused besides U+0000 and lone surrogates, which are refused everywhere. */
  readonly refuse?: 'control characters' | 'line breaks'
}

const codePoints = (value: string): number => {
  let count = 0
  for (const _ of value) count += 1
  return count
}

/** The fault of a text under a rule, or `undefined`: its code and a message that says what is right. */
export const textFault = (value: string, rule: TextRule): { code: FieldCode; message: string } | undefined => {
  const { min = 1, max } = rule
  if (value.includes('\u0000')) return { code: 'invalid_text', message: 'Must not contain U+0000.' }
  if (loneSurrogate.test(value)) return { code: 'invalid_text', message: 'Must be well-formed Unicode, without lone surrogates.' }
  if (rule.refuse === 'control characters' && controlCharacter.test(value))
    return { code: 'invalid_text', message: 'Must not contain control characters, line breaks included.' }
  if (rule.refuse === 'line breaks' && lineBreak.test(value))
    return { code: 'invalid_text', message: 'Must be a single line, without CR or LF.' }
  // A string of n code units has at most n code points, so the count is only needed in between.
  if (value.length < min || (value.length < 2 * min && codePoints(value) < min))
    return { code: 'too_short', message: `Must have at least ${min} ${min === 1 ? 'character' : 'characters'}.` }
  if (value.length > 2 * max || (value.length > max && codePoints(value) > max))
    return { code: 'too_long', message: `Must have at most ${max} characters.` }
  return undefined
}

// Four code points of at most two code units each become one in NFC, at most.
const mostUnitsPerCharacter = 8

/** Trims, and brings to NFC what may be short enough then: that takes quadratic time in the length of a run of combining marks. */
const normalized = (value: string, max: number): string => {
  const trimmed = value.trim()
  return trimmed.length > mostUnitsPerCharacter * max ? trimmed : trimmed.normalize('NFC')
}

/** A text under a rule. Its faults carry a code of {@link fieldCodes} in `params.code`. */
export const Text = (rule: TextRule) => {
  const base = rule.normalize ? z.string().overwrite((value) => normalized(value, rule.max)) : z.string()
  return base
    .check((context) => {
      const fault = textFault(context.value, rule)
      if (fault) context.issues.push({ code: 'custom', input: context.value, message: fault.message, params: { code: fault.code } })
    })
    .meta({ minLength: rule.min ?? 1, maxLength: rule.max })
}

/** The stable codes of a single field's fault. */
export const fieldCodes = [
  'required',
  'unknown_field',
  'invalid_type',
  'invalid_value',
  'invalid_text',
  'invalid_target',
  'too_short',
  'too_long',
  'too_small',
  'too_big',
  'override_not_allowed',
  'target_unroutable',
  'content_too_long',
] as const

/** A stable code of a single field's fault. */
export type FieldCode = (typeof fieldCodes)[number]

/**
 * A string whose known values are listed but that may hold others: deployments register providers,
 * and newer servers know more statuses than an older client.
 */
export const OpenEnum = <const T extends readonly string[]>(values: T) =>
  (z.string() as unknown as z.ZodType<T[number] | (string & {}), T[number] | (string & {})>).meta({ 'x-extensible-enum': [...values] })

/**
 * A whole number in a query, where everything arrives as text. Only plain decimal digits are read,
 * so that `0x10`, `1e2` and an empty string are faults and not numbers.
 */
export const QueryInteger = (min: number, max: number) =>
  z.preprocess((value: number) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value), z.int().min(min).max(max))

/** The query of every list. */
export const pageQuery = {
  limit: QueryInteger(1, 1000).default(100).meta({
    description:
      'The most resources of the page, 1 to 1000. A page ends early, at about 1 MiB, so only a `next_cursor` of `null` says that it is the last one.',
  }),
  cursor: z
    .string()
    .optional()
    .meta({ description: 'The `next_cursor` of the page before; opaque, and only valid with the same filters.' }),
}

/** A page of a list. */
export const PageOf = <T extends z.ZodType>(id: string, item: T) =>
  z
    .object({
      data: z.array(item),
      next_cursor: z.string().nullable().meta({ description: 'Give it as `cursor` to read on; `null` on the last page.' }),
    })
    .meta({ id, description: 'One page of a list.' })
