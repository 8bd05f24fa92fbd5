const redacted = '[redacted]'

/**
 * Redacts the credential, if it is known and has at least eight characters, and everything that looks like an API key. A
 * shorter credential is a test value, and would also match ordinary words and property names such as `message`.
 */
export const redact = (text: string, secret: string | undefined): string =>
  text.replaceAll(secret && secret.length > 7 ? secret : redacted, redacted).replace(/\bfp_[\w-]+/g, redacted)

type Fields = Record<PropertyKey, unknown>

/**
 * Returns the value unchanged if it is safe to log, otherwise a redacted copy. A safe value contains no secrets, and its
 * only objects are plain objects, arrays and errors. Searches nested values, field names and the causes of errors.
 */
export const redactValue = (root: unknown, secret: string | undefined): unknown => {
  // Maps each visited object to its copy, because errors may refer to each other in a cycle.
  const copies = new Map<unknown, Fields>()
  let isSafe = true
  const copyOf = (value: unknown): unknown => {
    if (typeof value === 'string') {
      const text = redact(value, secret)
      isSafe &&= text === value
      return text
    }
    let copy = copies.get(value)
    if (!copy && typeof value === 'object' && value) {
      const isError = value instanceof Error
      copy = (isError ? new Error() : Array.isArray(value) ? [] : {}) as Fields
      copies.set(value, copy)
      // Errors, arrays and plain objects are safe to log if their contents are safe. Objects of other classes, such as `Request`,
      // are never safe, because a logger may print more than their fields.
      isSafe &&= isError || value.constructor === copy['constructor']
      // Also copies the non-enumerable fields, such as `errors` of an `AggregateError`, and an error's inherited name or message.
      for (const key of [...(isError ? ['name', 'message'] : []), ...Reflect.ownKeys(value)])
        copy[copyOf(key) as string] = copyOf((value as Fields)[key])
    }
    return copy ?? value
  }
  try {
    const copy = copyOf(root)
    return isSafe ? root : copy
  } catch {
    // A getter threw, or the nesting is too deep.
    return redacted
  }
}
