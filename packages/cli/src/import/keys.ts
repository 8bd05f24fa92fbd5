const maxLength = 64

/** Converts a name to a key of lower-case letters, digits and hyphens. Returns `fallback` if no character remains. */
export const toKey = (name: string, fallback = 'flow'): string => {
  const letters = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const key = letters
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, maxLength)
    .replace(/^-+|-+$/g, '')
  return key === '' ? fallback : key
}

/** Returns the key, with a number appended if the key is taken. */
export const uniqueKey = (key: string, taken: { has(key: string): boolean }): string => {
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : `-${number}`
    const candidate = `${key.slice(0, maxLength - suffix.length).replace(/-+$/, '')}${suffix}`
    if (!taken.has(candidate)) return candidate
  }
}
