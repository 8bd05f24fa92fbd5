/** An error for a server that does not conform to the API contract. */
export class ConformanceFailure extends Error {
  override readonly name = 'ConformanceFailure'
}

const show = (value: unknown): string => {
  const text = JSON.stringify(value, undefined, 2) ?? String(value)
  return text.length > 2_000 ? `${text.slice(0, 2_000)}...` : text
}

/** Serializes a value with sorted keys, for comparisons. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? 'undefined'

/**
 * Asserts that two values are equal as JSON, regardless of the order of an object's keys.
 *
 * @throws {ConformanceFailure} If the values differ.
 */
export const assertEqual = (actual: unknown, expected: unknown, what: string): void => {
  if (canonical(actual) !== canonical(expected)) throw new ConformanceFailure(`${what}: expected ${show(expected)}, got ${show(actual)}`)
}

/**
 * Asserts that a condition is truthy.
 *
 * @throws {ConformanceFailure} If the condition is falsy.
 */
export function assert(condition: unknown, what: string, actual?: unknown): asserts condition {
  if (!condition) throw new ConformanceFailure(actual === undefined ? what : `${what}: got ${show(actual)}`)
}

/**
 * Asserts that a value contains the expected fields, including nested fields. Ignores additional fields. Arrays must
 * have the expected length.
 *
 * @throws {ConformanceFailure} If an expected field is missing or differs, or an array has a different length.
 */
export const assertIncludes = (actual: unknown, expected: unknown, what: string): void => {
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    for (const [index, value] of expected.entries()) assertIncludes(actual[index], value, `${what}[${index}]`)
  } else if (
    expected !== null &&
    typeof expected === 'object' &&
    actual !== null &&
    typeof actual === 'object' &&
    !Array.isArray(expected)
  ) {
    for (const [key, value] of Object.entries(expected)) assertIncludes((actual as Record<string, unknown>)[key], value, `${what}.${key}`)
  } else assertEqual(actual, expected, what)
}
