/** The server did something else than the interface promises. */
export class ConformanceFailure extends Error {
  override readonly name = 'ConformanceFailure'
}

const show = (value: unknown): string => {
  const text = JSON.stringify(value, undefined, 2) ?? String(value)
  return text.length > 2_000 ? `${text.slice(0, 2_000)}...` : text
}

/** JSON with sorted keys: the same for two values that mean the same. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? 'undefined'

/** @throws ConformanceFailure unless both are the same JSON value. */
export const equal = (actual: unknown, expected: unknown, what: string): void => {
  if (canonical(actual) !== canonical(expected)) throw new ConformanceFailure(`${what}: expected ${show(expected)}, got ${show(actual)}`)
}

/** @throws ConformanceFailure unless the condition holds. */
export function holds(condition: unknown, what: string, actual?: unknown): asserts condition {
  if (!condition) throw new ConformanceFailure(actual === undefined ? what : `${what}: got ${show(actual)}`)
}

/** @throws ConformanceFailure unless the value has at least these fields, at any depth; other fields do not matter. */
export const includes = (actual: unknown, expected: unknown, what: string): void => {
  if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
    for (const [index, value] of expected.entries()) includes(actual[index], value, `${what}[${index}]`)
  } else if (
    expected !== null &&
    typeof expected === 'object' &&
    actual !== null &&
    typeof actual === 'object' &&
    !Array.isArray(expected)
  ) {
    for (const [key, value] of Object.entries(expected)) includes((actual as Record<string, unknown>)[key], value, `${what}.${key}`)
  } else equal(actual, expected, what)
}
