import type { Checker } from './config-issue.ts'

/**
 * Reports every nested value that JSON cannot represent. Checks the result of a `toJSON` method instead of its object, such as
 * a URL. Ignores a field whose value is `undefined`, because JSON omits it.
 */
export const checkJson = (checker: Checker, ancestors: readonly unknown[] = []): void => {
  const { value, report, field, names } = hasToJson(checker.value) ? checker.withValue(checker.value.toJSON()) : checker
  if (ancestors.includes(value)) {
    report('must not contain itself.')
    return
  }
  const path = [...ancestors, value]
  // In a list, `undefined` and a missing item would become `null`.
  if (Array.isArray(value)) for (const index of value.keys()) checkJson(field(String(index)), path)
  else if (typeof value === 'object' && value !== null) {
    for (const name of names() ?? []) if (field(name).value !== undefined) checkJson(field(name), path)
  } else if (!isScalar(value)) report('must be a value that JSON can represent.')
}

const hasToJson = (value: unknown): value is { toJSON(): unknown } =>
  typeof value === 'object' && value !== null && 'toJSON' in value && typeof value.toJSON === 'function'

const isScalar = (value: unknown): boolean =>
  value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
