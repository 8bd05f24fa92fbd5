import { collectStrings, createRedactor, type Redactor } from './redaction.ts'

interface CacheEntry {
  readonly values: readonly string[]
  readonly redact: Redactor
}

const entries = new WeakMap<object, CacheEntry>()

/**
 * Returns the redactor for a credential's secrets. It is cached while the object exists and its strings do not change, because
 * creating a redactor for 100 URLs takes milliseconds.
 */
export function getRedactor(secrets: unknown): Redactor {
  if (typeof secrets !== 'object' || secrets === null) return createRedactor(secrets)
  const values = collectStrings(secrets)
  const cached = entries.get(secrets)
  if (cached?.values.length === values.length && cached.values.every((value, index) => value === values[index])) return cached.redact
  const redact = createRedactor(values)
  entries.set(secrets, { values, redact })
  return redact
}
