import { z } from 'zod'

/** The id prefixes, by kind of resource. */
export const idPrefixes = {
  project: 'prj',
  flow: 'flw',
  notification: 'ntf',
  delivery: 'dlv',
  attempt: 'att',
  apiKey: 'key',
  bulkAction: 'act',
  suppression: 'sup',
  erasure: 'ers',
  eventEndpoint: 'evp',
  event: 'evt',
  settingsHistoryEntry: 'his',
} as const

/** A kind of resource that has an id. */
export type IdKind = keyof typeof idPrefixes

/**
 * Returns the pattern of an id. An id is a TypeID: the prefix of its kind, `_`, and a UUIDv7 as 26 base32 characters.
 * Source: TypeID specification 0.3, https://github.com/jetify-com/typeid/tree/main/spec.
 */
export const idPattern = (kind: IdKind) => new RegExp(`^${idPrefixes[kind]}_[0-7][0-9a-hjkmnp-tv-z]{25}$`)

const idExample = (kind: IdKind) => `${idPrefixes[kind]}_01jdv3k2m8f6wbn0q4z5t7x9ya`

/** Returns the schema of an id in a response. The id must have the prefix of its kind. */
export const Id = (kind: IdKind, description: string) =>
  z
    .string()
    .regex(idPattern(kind))
    .meta({ description, examples: [idExample(kind)] })

/** Returns the schema of an id in a request. The schema accepts any string, so a malformed id results in 404, like any unknown id. */
export const IdParam = (kind: IdKind, description: string) => z.string().meta({ description, examples: [idExample(kind)] })

/** The pattern of a key, which names a project, flow or event endpoint in files and code. */
const keyPattern = /^[a-z0-9][a-z0-9-]{0,63}$/

/** The schema of a key in a request. */
export const Key = z
  .string()
  .regex(keyPattern, 'Must consist of 1 to 64 lower-case letters, digits and hyphens, and must not begin with a hyphen.')

/** Returns the schema of an optional key in a request. `null` removes the stored key. */
export const OptionalKey = (description: string) =>
  Key.nullable()
    .meta({ description, examples: ['billing'] })
    .optional()

/** The schema of a timestamp in a response: RFC 3339 in UTC with milliseconds. */
export const Timestamp = z.iso
  .datetime({ precision: 3 })
  .meta({ id: 'Timestamp', description: 'An RFC 3339 timestamp in UTC with milliseconds.', examples: ['2026-11-21T09:30:00.000Z'] })

/**
 * Returns the schema of a timestamp in a response, with the given description. Wraps {@link Timestamp} instead of
 * copying it, so that clients and the OpenAPI document refer to that schema by name.
 */
export const TimestampField = (description: string) => Timestamp.nonoptional().meta({ description })

/** Returns the schema of a time in a request: RFC 3339 with any offset. */
export const Time = () =>
  z.iso.datetime({
    offset: true,
    error: ({ code }) => (code === 'invalid_format' ? 'Must be an RFC 3339 timestamp, such as `2026-11-21T09:30:00Z`.' : undefined),
  })

const loneSurrogate = /\p{Surrogate}/u
const controlCharacter = /\p{Cc}/u
const lineBreak = /[\r\n]/

/** The rules for a string. Length limits count Unicode code points, after normalization. */
export interface TextRule {
  /** The minimum number of code points. @default 1 */
  readonly min?: number
  /** The maximum number of code points. */
  readonly max: number
  /** Whether to trim white space and normalize to Unicode NFC before checking the other rules. @default false */
  readonly normalize?: boolean
  /** Characters to reject besides U+0000 and lone surrogates, which are always rejected. */
  readonly forbid?: 'control characters' | 'line breaks'
}

const countCodePoints = (value: string): number => {
  let count = 0
  for (const _ of value) count += 1
  return count
}

/** A violation of a rule for strings. */
interface TextIssue {
  readonly code: FieldCode
  readonly message: string
}

const findInvalidCharacter = (value: string): TextIssue | undefined => {
  if (value.includes('\u0000')) return { code: 'invalid_text', message: 'Must not contain U+0000.' }
  return loneSurrogate.test(value) ? { code: 'invalid_text', message: 'Must be well-formed Unicode, without lone surrogates.' } : undefined
}

const findTextIssue = (value: string, rule: TextRule): TextIssue | undefined => {
  const { min = 1, max } = rule
  const invalidCharacter = findInvalidCharacter(value)
  if (invalidCharacter) return invalidCharacter
  if (rule.forbid === 'control characters' && controlCharacter.test(value))
    return { code: 'invalid_text', message: 'Must not contain control characters, including line breaks.' }
  if (rule.forbid === 'line breaks' && lineBreak.test(value))
    return { code: 'invalid_text', message: 'Must be a single line, without CR or LF.' }
  // The limits apply to code points. A string of n code units has at least n/2 and at most n code points. Code points are counted
  // only if these bounds do not show whether the string complies.
  if (value.length < min || (value.length < 2 * min && countCodePoints(value) < min))
    return { code: 'too_short', message: `Must have at least ${min} ${min === 1 ? 'character' : 'characters'}.` }
  if (value.length > 2 * max || (value.length > max && countCodePoints(value) > max))
    return { code: 'too_long', message: `Must have at most ${max} characters.` }
  return undefined
}

/** A string that the database cannot store, with its path in the JSON value. */
export interface InvalidText extends TextIssue {
  readonly path: readonly PropertyKey[]
  readonly text: string
}

/** The maximum number of validation errors in a response. */
export const maxListedErrors = 1_000

/** The maximum length of the pointer in a validation error. The pointer of every field in the contract is shorter. */
export const maxPointerLength = 256

const collectInvalidTexts = (value: unknown, path: PropertyKey[], pathLength: number, found: InvalidText[]): void => {
  if (typeof value === 'string') {
    const issue = findInvalidCharacter(value)
    if (issue) found.push({ ...issue, path: [...path], text: value })
  } else if (typeof value === 'object' && value !== null) {
    const countBefore = found.length
    // If a value's pointer is longer than `maxPointerLength`, only the first error inside the value is listed, because all of
    // them get the same shortened pointer.
    const isDone = () => found.length > maxListedErrors || (pathLength > maxPointerLength && found.length > countBefore)
    for (const [key, inner] of Object.entries(value)) {
      if (isDone()) return
      path.push(Array.isArray(value) ? Number(key) : key)
      if (!Array.isArray(value)) collectInvalidTexts(key, path, pathLength, found)
      if (!isDone()) collectInvalidTexts(inner, path, pathLength + key.length + 1, found)
      path.pop()
    }
  }
}

/**
 * Finds the strings and field names in a JSON value that contain U+0000 or a lone surrogate. Stops after 1,001 of them,
 * because no response lists more than 1,000 errors.
 */
export const findInvalidTexts = (value: unknown): InvalidText[] => {
  const found: InvalidText[] = []
  collectInvalidTexts(value, [], 0, found)
  return found
}

// NFC composes at most four code points (eight code units) into one.
const maxUnitsPerCharacter = 8

/**
 * Trims a string and normalizes it to NFC. Does not normalize a string that would be too long even when normalized,
 * because normalization can take quadratic time.
 */
const normalize = (value: string, max: number): string => {
  const trimmed = value.trim()
  return trimmed.length > maxUnitsPerCharacter * max ? trimmed : trimmed.normalize('NFC')
}

/** Returns the schema of a string that must follow a rule. Each violation has one of {@link fieldCodes} in `params.code`. */
export const Text = (rule: TextRule) => {
  const base = rule.normalize ? z.string().overwrite((value) => normalize(value, rule.max)) : z.string()
  return base
    .check((context) => {
      const issue = findTextIssue(context.value, rule)
      if (issue) context.issues.push({ code: 'custom', input: context.value, message: issue.message, params: { code: issue.code } })
    })
    .meta({ minLength: rule.min ?? 1, maxLength: rule.max })
}

/**
 * Returns a schema that accepts any value, but is documented as `schema`. Used for items that the operation validates
 * one by one, so that an invalid item does not affect the others.
 */
export const Unchecked = <T extends z.ZodType>(schema: T) => {
  const unchecked = z.lazy(() => schema)
  unchecked._zod.parse = (payload) => payload as never
  unchecked._zod.run = unchecked._zod.parse
  return unchecked as unknown as z.ZodType<unknown, z.input<T>>
}

/** The stable codes of validation errors. */
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

/** A stable code of a validation error. */
export type FieldCode = (typeof fieldCodes)[number]

/**
 * Returns the schema of a string that usually has one of the listed values but can have any other. A deployment can register
 * more providers, and a newer server can return statuses that an older client does not know.
 */
export const OpenEnum = <const T extends readonly string[]>(values: T) =>
  (z.string() as unknown as z.ZodType<T[number] | (string & {}), T[number] | (string & {})>).meta({ 'x-extensible-enum': [...values] })

/** Returns the schema of an integer in a query string. It accepts only decimal digits: `0x10`, `1e2` and an empty string are invalid. */
export const QueryInteger = (min: number, max: number) =>
  z.preprocess((value: number) => (typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value), z.int().min(min).max(max))

/** A paragraph about the maximum number of open requests with `wait`, for the descriptions of operations. */
export const waitLimit =
  'In each server process, an API key and the keys created with it can together have up to 100 requests with `wait` open at the same time, across all operations. The same limit applies to each user of an OIDC issuer. Any additional request with `wait` returns 429 `rate_limited`.'

/** The query parameters of every list operation. */
export const pageQuery = {
  limit: QueryInteger(1, 1000).default(100).meta({
    description:
      'The maximum number of resources per page, 1 to 1000. A page can hold fewer, because its size is limited to about 1 MiB. Only a `next_cursor` of `null` marks the last page.',
  }),
  cursor: z.string().optional().meta({
    description:
      'The `next_cursor` of the previous page. Its format is opaque, and it is valid only for the same list with the same filters.',
  }),
}

/** Returns the schema of one page of a list. `id` is the name of the schema. */
export const PageOf = <T extends z.ZodType>(id: string, item: T) =>
  z
    .object({
      data: z.array(item).meta({ description: 'The resources on the page.' }),
      next_cursor: z
        .string()
        .nullable()
        .meta({ description: 'The value of `cursor` that returns the next page; `null` on the last page.' }),
    })
    .meta({ id, description: 'One page of a list.' })
