import { type FieldCode, fieldCodes } from '../primitives.ts'
import type { FieldError } from '../problem.ts'

/** The parts of a validation issue that are read, as zod 4 and Standard Schema have them. */
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

/** The JSON Pointer (RFC 6901) of a path. */
export const pointerOf = (path: readonly PropertyKey[]): string =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

const valueAt = (input: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, key) =>
      value !== null && typeof value === 'object' && Object.hasOwn(value, key) ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    input,
  )

const sizeCodes: Record<string, { small: FieldCode; big: FieldCode }> = {
  string: { small: 'too_short', big: 'too_long' },
  array: { small: 'too_short', big: 'too_long' },
}

const codeOf = (issue: Issue, missing: boolean): FieldCode => {
  if (isFieldCode(issue.params?.code)) return issue.params.code
  if (missing) return 'required'
  const sizes = sizeCodes[issue.origin ?? ''] ?? { small: 'too_small', big: 'too_big' }
  switch (issue.code) {
    case 'invalid_type':
      return 'invalid_type'
    case 'too_small':
      return sizes.small
    case 'too_big':
      return sizes.big
    default:
      return 'invalid_value'
  }
}

const messageOf = (issue: Issue, missing: boolean): string => {
  if (missing) return 'Is required.'
  if (issue.code === 'invalid_value' && issue.values)
    return `Must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}.`
  return issue.message
}

/** The faults of one part of a request, each with its JSON Pointer, from the issues of its schema. */
export const fieldErrors = (part: FieldError['in'], error: unknown, input: unknown): FieldError[] => {
  const issues = (error as { issues?: readonly Issue[] } | null)?.issues ?? []
  return issues.flatMap((issue): FieldError[] => {
    const path = (issue.path ?? []).map((key) => (typeof key === 'object' ? key.key : key))
    if (issue.code === 'unrecognized_keys')
      return (issue.keys ?? []).map((key) => ({
        in: part,
        pointer: pointerOf([...path, key]),
        code: 'unknown_field',
        message: part === 'query' ? 'Is not a parameter of this operation.' : 'Is not a field of this resource.',
      }))
    const missing = issue.code !== 'custom' && valueAt(input, path) === undefined
    return [{ in: part, pointer: pointerOf(path), code: codeOf(issue, missing), message: messageOf(issue, missing) }]
  })
}

/** The faults of a part of a part, as of one header: `value` is what its schema saw, `name` where it stands. */
export const fieldErrorsWithin = (part: FieldError['in'], name: string, error: unknown, value: unknown): FieldError[] => {
  const issues = (error as { issues?: readonly Issue[] } | null)?.issues ?? []
  return fieldErrors(part, { issues: issues.map((issue) => ({ ...issue, path: [name, ...(issue.path ?? [])] })) }, { [name]: value })
}

/** One fault a field, the first one: where a schema has refused a field, its channel need not say more. */
export const firstOfEach = (faults: readonly FieldError[]): FieldError[] => {
  const byField = new Map<string, FieldError>()
  for (const fault of faults) {
    const field = `${fault.in} ${fault.pointer}`
    if (!byField.has(field)) byField.set(field, fault)
  }
  return [...byField.values()]
}
