import { type FieldCode, fieldCodes, findInvalidTexts, maxPointerLength } from '../primitives.ts'
import type { FieldError } from '../problem.ts'
import type { BodyIssue } from './api-error.ts'

/** A validation issue from zod 4 or another Standard Schema library, reduced to the fields that are used here. */
interface Issue {
  readonly code?: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[]
  readonly message: string
  readonly keys?: readonly string[]
  readonly origin?: string
  readonly values?: readonly unknown[]
  readonly params?: { readonly code?: unknown }
}

const isFieldCode = (value: unknown): value is FieldCode => (fieldCodes as readonly unknown[]).includes(value)

const escapeKey = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')

/** Converts a path of keys to a JSON Pointer (RFC 6901). */
export const toJsonPointer = (path: readonly PropertyKey[]): string => path.map((key) => `/${escapeKey(String(key))}`).join('')

/** Returns the pointer to a field, or to the closest enclosing field whose pointer is not too long. */
const toShortPointer = (path: readonly PropertyKey[]): { readonly pointer: string; readonly isComplete: boolean } => {
  let pointer = ''
  for (const key of path) {
    const name = String(key)
    // A name that is already too long is not escaped, because escaping cannot make it shorter.
    const next = name.length > maxPointerLength ? name : `${pointer}/${escapeKey(name)}`
    if (next.length > maxPointerLength) return { pointer, isComplete: false }
    pointer = next
  }
  return { pointer, isComplete: true }
}

// Messages are truncated, because a message from a provider's schema can quote the invalid value, which can be long.
const maxMessageLength = 1_000

/** Truncates a message without splitting a surrogate pair. */
const truncateMessage = (text: string): string =>
  text.length <= maxMessageLength ? text : text.slice(0, maxMessageLength).replace(/[\ud800-\udbff]$/, '')

const longPathNote = 'In a field whose path is too long to list: '

/** Adds a note that the pointer of the error is shortened, unless the message already has it. */
const addLongPathNote = (message: string): string => (message.startsWith(longPathNote) ? message : `${longPathNote}${message}`)

/**
 * Creates the validation error of a field. If the pointer would be longer than {@link maxPointerLength}, uses the
 * pointer to the closest enclosing field. Without this limit, thousands of errors could repeat a long field name that
 * the client chose.
 */
export const createFieldError = (
  part: FieldError['in'],
  path: readonly PropertyKey[],
  code: FieldError['code'],
  message: string,
): FieldError => {
  const { pointer, isComplete } = toShortPointer(path)
  return { in: part, pointer, code, message: truncateMessage(isComplete ? message : addLongPathNote(message)) }
}

/**
 * Adds `prefix` before the pointer of an issue. The issue is in a part of the body, and `prefix` is the pointer to this
 * part. Limits the length of the result like {@link createFieldError}.
 */
export const addPointerPrefix = (prefix: string, issue: BodyIssue): BodyIssue => {
  const pointer = `${prefix}${issue.pointer}`
  if (pointer.length <= maxPointerLength) return { ...issue, pointer }
  // Cutting the pointer at a slash never splits a name, because a slash in a name is escaped.
  const enclosing = pointer.slice(0, pointer.lastIndexOf('/', maxPointerLength))
  return { ...issue, pointer: enclosing, message: truncateMessage(addLongPathNote(issue.message)) }
}

const getValueAt = (input: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      value !== null && typeof value === 'object' && Object.hasOwn(value, key) ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    input,
  )

const sizeCodes: Record<string, { tooSmall: FieldCode; tooBig: FieldCode }> = {
  string: { tooSmall: 'too_short', tooBig: 'too_long' },
  array: { tooSmall: 'too_short', tooBig: 'too_long' },
}

const codeOf = (issue: Issue, isMissing: boolean): FieldCode => {
  if (isFieldCode(issue.params?.code)) return issue.params.code
  if (isMissing) return 'required'
  const sizes = sizeCodes[issue.origin ?? ''] ?? { tooSmall: 'too_small', tooBig: 'too_big' }
  switch (issue.code) {
    case 'invalid_type':
      return 'invalid_type'
    case 'too_small':
      return sizes.tooSmall
    case 'too_big':
      return sizes.tooBig
    default:
      return 'invalid_value'
  }
}

const messageOf = (issue: Issue, isMissing: boolean): string => {
  if (isMissing) return 'Is required.'
  if (issue.code === 'invalid_value' && issue.values)
    return `Must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}.`
  return issue.message
}

const unknownMessageOf = (part: FieldError['in']): string =>
  part === 'query' ? 'This operation has no such parameter.' : 'This resource has no such field.'

/** Converts schema issues in one part of a request to validation errors. */
export const toFieldErrors = (part: FieldError['in'], error: unknown, input: unknown): FieldError[] => {
  const issues = (error as { issues?: readonly Issue[] } | null)?.issues ?? []
  return issues.flatMap((issue): FieldError[] => {
    const path = (issue.path ?? []).map((key) => (typeof key === 'object' ? key.key : key))
    if (issue.code === 'unrecognized_keys')
      return (issue.keys ?? []).map((key) => createFieldError(part, [...path, key], 'unknown_field', unknownMessageOf(part)))
    const isMissing = issue.code !== 'custom' && getValueAt(input, path) === undefined
    return [createFieldError(part, path, codeOf(issue, isMissing), messageOf(issue, isMissing))]
  })
}

/** Converts schema issues in a single named value, such as a header, to validation errors. */
export const toNestedFieldErrors = (part: FieldError['in'], name: string, error: unknown, value: unknown): FieldError[] => {
  const issues = (error as { issues?: readonly Issue[] } | null)?.issues ?? []
  return toFieldErrors(part, { issues: issues.map((issue) => ({ ...issue, path: [name, ...(issue.path ?? [])] })) }, { [name]: value })
}

const fieldOf = (error: FieldError): string => `${error.in} ${error.pointer}`

/**
 * Returns the first error for each field. `errors` must be in order of precedence, highest first.
 */
export const firstErrorPerField = (errors: readonly FieldError[]): FieldError[] => {
  const byField = new Map<string, FieldError>()
  for (const error of errors) if (!byField.has(fieldOf(error))) byField.set(fieldOf(error), error)
  return [...byField.values()]
}

/**
 * Adds the errors of `more` to `errors`, but omits those whose field already has an error in `errors`. Unlike
 * {@link firstErrorPerField}, keeps several errors for a field if they are in the same list.
 */
export const addFieldErrors = (errors: readonly FieldError[], more: readonly FieldError[]): FieldError[] => {
  const fields = new Set(errors.map(fieldOf))
  return [...errors, ...more.filter((error) => !fields.has(fieldOf(error)))]
}

const isObject = (value: unknown): value is object => value !== null && typeof value === 'object' && !Array.isArray(value)

/**
 * Returns an error for every string that contains U+0000 or a lone surrogate, because the database cannot store it. Returns
 * at most 1,001 errors.
 * @param itemsField A field to skip, because its items are validated separately.
 */
export const findTextErrors = (body: unknown, itemsField?: string): FieldError[] =>
  findInvalidTexts(itemsField !== undefined && isObject(body) ? { ...body, [itemsField]: null } : body).map(({ path, code, message }) =>
    createFieldError('body', path, code, message),
  )
