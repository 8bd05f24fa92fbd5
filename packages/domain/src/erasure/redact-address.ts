/**
 * A redactor that replaces an erased recipient's address in texts, such as the subject of a notification to another
 * recipient.
 */
export interface AddressRedactor {
  /**
   * Lower-case search terms that preselect texts in a database. Any text that contains the address also contains one of
   * these terms, ignoring the case of ASCII letters. Empty if the address may be a common word: the redactor then leaves all
   * texts unchanged.
   */
  readonly needles: readonly string[]
  /** Replaces the address in a text. */
  redact(text: string): string
  /** Returns whether an identifier contains the address, even within a longer word, such as `welcome-bob@example.com`. */
  isIn(identifier: string): boolean
  /** Replaces the address in every string of a JSON value. */
  redactJson<T>(value: T): T
}

// The patterns for characters that are encoded differently in plain text, HTML and URLs.
const encodedForms: Readonly<Record<string, string>> = {
  '@': '(?:@|%40|&#64;)',
  '+': '(?:\\+|%2B|&#43;)',
  '&': '(?:&amp;|&|%26)',
  "'": "(?:'|&#39;|&#x27;|&apos;|%27)",
}

const patternOf = (address: string): RegExp => {
  const characters = Array.from(address, (character) => encodedForms[character] ?? character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&'))
  // Longer addresses that contain this address belong to other people: `jim.bob@example.com`, `bob@example.com.au`.
  const start = '(?<![\\p{L}\\p{N}])(?<![\\p{L}\\p{N}][._+\\-])'
  return new RegExp(`${start}${characters.join('')}(?![\\p{L}\\p{N}]|[.\\-][\\p{L}\\p{N}])`, 'giu')
}

/** Returns the longest part of an address, in lower case, that contains only "@" and characters that no encoding changes. */
const needleOf = (address: string): string => {
  const parts = address.toLowerCase().split(/[^a-z0-9.@_-]+/)
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '')
}

/**
 * Returns whether a recipient's key is distinctive enough to be redacted from any text. A key that may be a common
 * word, such as `ops`, is not.
 */
const isDistinctive = (key: string): boolean => key.includes('@') || (key.length >= 8 && /\d/.test(key))

/**
 * Creates an {@link AddressRedactor}.
 * @param key The recipient's `recipientKey`.
 * @param replacement The text that replaces the address.
 */
export const createAddressRedactor = (key: string, replacement: string): AddressRedactor => {
  if (!isDistinctive(key)) return { needles: [], redact: (text) => text, isIn: () => false, redactJson: (value) => value }
  const pattern = patternOf(key)
  const needle = needleOf(key)
  const redact = (text: string) => text.replace(pattern, () => replacement)
  const redactJson = <T>(value: T): T => {
    if (typeof value === 'string') return redact(value) as T
    if (Array.isArray(value)) return value.map((item: unknown) => redactJson(item)) as T
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]: [string, unknown]) => [name, redactJson(inner)])) as T
  }
  return {
    needles: needle.includes('@') ? [needle, needle.replace('@', '%40'), needle.replace('@', '&#64;')] : [needle],
    redact,
    isIn: (identifier) => identifier.toLowerCase().includes(key.toLowerCase()) || redact(identifier) !== identifier,
    redactJson,
  }
}
