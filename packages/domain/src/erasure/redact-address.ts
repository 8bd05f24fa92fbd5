/**
 * A redactor that replaces an erased recipient's address in texts, such as the subject of a notification to another
 * recipient.
 */
export interface AddressRedactor {
  /**
   * Lower-case search terms that preselect texts in a database. Any text that contains the address also contains all of
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

const entities: Readonly<Record<string, string>> = { '&': 'amp', "'": 'apos', '<': 'lt', '>': 'gt', '"': 'quot' }

/** Returns a pattern for a character of a text that may be encoded for Markdown, HTML, URLs or JSON. */
const patternOfCharacter = (character: string): string => {
  const literal = character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')
  if (!/[!-~]/.test(character) || /[a-z0-9]/i.test(character)) return literal
  const code = character.charCodeAt(0)
  const hex = code.toString(16)
  const entity = entities[character] ?? `#${code}`
  // JSON doubles the backslash with which Markdown escapes a character.
  return `(?:\\\\{0,2}${literal}|(?:%|\\\\u00)${hex}|&(?:${entity}|#${code}|#x${hex});)`
}

const anyOf = (characters: string): string => `(?:${Array.from(characters, patternOfCharacter).join('|')})`

// In `%20bob@example.com` and `\nbob@example.com`, the character before "bob" is the end of an escape sequence.
const letter = '[\\p{L}\\p{N}](?<!(?:%|\\\\u00)[0-7][0-9a-f]|\\\\[nrt])'

const patternOf = (address: string): RegExp => {
  // Longer addresses that contain this address belong to other people: `jim.bob@example.com`, `bob@example.com.au`.
  const start = `(?<!${letter})(?<!${letter}${anyOf('._+-')})`
  const end = `(?![\\p{L}\\p{N}]|${anyOf('.-')}[\\p{L}\\p{N}])`
  return new RegExp(`${start}${Array.from(address, patternOfCharacter).join('')}${end}`, 'giu')
}

/**
 * Returns the runs of ASCII letters and digits in an address, in lower case, longest first. No encoding changes them. An
 * address without any has the needle "", which every text contains.
 */
const needlesOf = (address: string): string[] =>
  [...new Set(address.toLowerCase().match(/[a-z0-9]+/g) ?? [''])].sort((a, b) => b.length - a.length)

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
  const redact = (text: string) => text.replace(pattern, () => replacement)
  const redactJson = <T>(value: T): T => {
    if (typeof value === 'string') return redact(value) as T
    if (Array.isArray(value)) return value.map((item: unknown) => redactJson(item)) as T
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]: [string, unknown]) => [name, redactJson(inner)])) as T
  }
  return {
    needles: needlesOf(key),
    redact,
    isIn: (identifier) => identifier.toLowerCase().includes(key.toLowerCase()) || redact(identifier) !== identifier,
    redactJson,
  }
}
