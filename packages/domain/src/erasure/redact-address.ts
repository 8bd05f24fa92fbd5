import { toAsciiDomain, toUnicodeDomain } from '../channels/domain-name.ts'

/**
 * A redactor that replaces an erased recipient's address in texts, such as the subject of a notification to another
 * recipient.
 */
export interface AddressRedactor {
  /**
   * A case-insensitive regular expression for PostgreSQL that preselects texts: it matches every text that contains the
   * address, even if the text is a string within JSON. `undefined` if the address may be a common word: the redactor then
   * leaves all texts unchanged.
   */
  readonly searchPattern: string | undefined
  /** Replaces the address in a text. */
  redact(text: string): string
  /** Returns whether an identifier contains the address, even within a longer word, such as `welcome-bob@example.com`. */
  isIn(identifier: string): boolean
  /** Replaces the address in every string and every property name of a JSON value. */
  redactJson<T>(value: T): T
  /**
   * Replaces the address in every string of a message. Cuts the replacement to the length of the text that it replaces, so
   * that an unsent message does not become too long for its provider.
   */
  redactMessage<T>(message: T): T
  /**
   * Replaces an object's property names that contain the address. A new name contains no colon, because a name in a
   * notification's metadata must not contain one. Leaves the property values unchanged.
   */
  redactNames<T extends object>(object: T): T
}

const entities: Readonly<Record<string, string>> = { '&': 'amp', "'": 'apos', '<': 'lt', '>': 'gt', '"': 'quot' }

/** Returns a regular expression that matches exactly this text, in JavaScript and in PostgreSQL. */
export const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

const isSpecial = (character: string): boolean => /[!-~]/.test(character) && !/[a-z0-9]/i.test(character)

/**
 * Regular expressions for the backslashes that escape a character. `markdown` matches those directly before the character,
 * as in `\@`. `unicode` matches those before the character's code, as in `\u0040`. There can be several backslashes,
 * because JSON doubles them.
 */
interface Backslashes {
  readonly markdown: string
  readonly unicode: string
}

// Markdown can write `@` as `\@`. If a message is itself JSON with Markdown in its strings, it contains `\\@`.
const inText: Backslashes = { markdown: '\\\\{0,2}', unicode: '\\\\' }
// In the database, the text may be stored as a string within JSON. Each backslash is then doubled: `\\@` becomes `\\\\@`, and
// `\u0040` becomes `\\u0040`. JSON also adds one backslash for a quote itself. `\\"` therefore becomes `\\\\\"`, which has five
// backslashes.
const inJson: Backslashes = { markdown: '\\\\{0,5}', unicode: '\\\\{1,2}' }

/** Returns a pattern for a printable ASCII character, plain or encoded for Markdown, HTML, URLs or JSON. */
const patternOfSpecial = (character: string, { markdown, unicode }: Backslashes): string => {
  const code = character.charCodeAt(0)
  const hex = code.toString(16)
  const entity = entities[character]
  const references = [...(entity === undefined ? [] : [entity]), `#${code}`, `#x${hex}`].join('|')
  return `(?:${markdown}${escapeRegExp(character)}|(?:%|${unicode}u00)${hex}|&(?:${references});)`
}

const isNonAscii = (character: string): boolean => character > '\u007F'

/**
 * Returns patterns for a non-ASCII character, plain or encoded for HTML, URLs or JSON. No two patterns match the same text.
 * Otherwise, the time to find that an address does not match would grow exponentially with its length.
 */
const patternsOfNonAscii = (character: string): string[] => {
  // The encodings of a capital and a small letter differ in more than case.
  const variants = [character, character.toLowerCase(), character.toUpperCase()]
  const inEachCase = [...new Set(variants)].filter((variant) => Array.from(variant).length === 1 && isNonAscii(variant))
  const encoded = inEachCase.flatMap((variant) => {
    const code = variant.codePointAt(0) ?? 0
    const units = Array.from({ length: variant.length }, (_, index) => variant.charCodeAt(index))
    const inJsonText = units.map((unit) => `${inText.unicode}u${unit.toString(16).padStart(4, '0')}`).join('')
    return [encodeURIComponent(variant.toWellFormed()), inJsonText, `&#(?:${code}|x${code.toString(16)});`]
  })
  return [character, ...encoded]
}

const patternOfCharacter = (character: string, backslashes = inText): string => {
  if (isSpecial(character)) return patternOfSpecial(character, backslashes)
  if (!isNonAscii(character)) return escapeRegExp(character)
  // A text can contain `é` as `e` with a combining accent.
  const decomposed = character.normalize('NFD')
  const parts = Array.from(decomposed, (part) => (isNonAscii(part) ? `(?:${patternsOfNonAscii(part).join('|')})` : escapeRegExp(part)))
  return `(?:${[...patternsOfNonAscii(character), ...(decomposed === character ? [] : [parts.join('')])].join('|')})`
}

// A UTF-16 unit takes at most 9 characters, for example `%E2%82%AC`.
const maxEncodedLength = (character: string): number => 9 * character.normalize('NFD').length

const searchPatternOfCharacter = (character: string): string => {
  if (isSpecial(character)) return patternOfSpecial(character, inJson)
  if (/[a-z0-9]/i.test(character)) return character
  // For a non-ASCII character, the pattern matches any text that is as long as the character or its encodings. Otherwise,
  // PostgreSQL might not find every text that JavaScript would redact, because the two do not always agree which letters differ
  // only in case.
  if (isNonAscii(character)) return `.{1,${maxEncodedLength(character)}}`
  // The character is a space or a control character. JSON can write it as up to six characters, such as `\u0009`.
  return '.{1,6}'
}

const anyOf = (characters: string): string => `(?:${Array.from(characters, (character) => patternOfCharacter(character)).join('|')})`

// Escape sequences of characters that separate an address from other text: ASCII, and the punctuation and spaces in Latin-1
// (U+0080 to U+00BF), General Punctuation (U+2000 to U+206F) and CJK punctuation (U+3000 to U+303F). Other sequences, such as
// `%C3%A9`, can encode the letters of a longer address.
const escapedSeparators = [
  '(?:%|\\\\u00)[0-7][0-9a-f]',
  '\\\\[nrt]',
  '\\\\u(?:00[89ab]|20[0-6]|30[0-3])[0-9a-f]',
  '%(?:c2|e2%8[01]|e3%80)%[89ab][0-9a-f]',
].join('|')

// Matches a letter or digit, unless it is the end of an escape sequence. In `%20bob@example.com` and `\nbob@example.com`, the
// `0` and the `n` belong to escape sequences, so the address is `bob@example.com`.
const letter = `[\\p{L}\\p{N}](?<!${escapedSeparators})`

// In an address with more backslashes, no backslash is treated as an escape. Otherwise, each backslash in a text could be the
// address's own or an escape, and the time to find that the address does not match would grow exponentially.
const maxOwnBackslashes = 3

/**
 * The parts of an address in order, each with its spellings. A part is a character, or a label of an internationalized domain,
 * which a text can contain in ASCII and in Unicode.
 */
type AddressParts = readonly (readonly string[])[]

const partsOf = (address: string): AddressParts => {
  const charactersOf = (text: string) => Array.from(text, (character) => [character])
  const domainStart = address.lastIndexOf('@') + 1
  const domain = address.slice(domainStart)
  const [ascii, unicode] = [toAsciiDomain(domain), toUnicodeDomain(domain)]
  if (domainStart === 0 || ascii === unicode) return charactersOf(address)
  const unicodeLabels = unicode.split('.')
  const labels = ascii.split('.').map((label, index) => [...new Set([label, unicodeLabels[index] ?? label])])
  return [...charactersOf(address.slice(0, domainStart)), ...labels.flatMap((label, index) => (index > 0 ? [['.'], label] : [label]))]
}

/** Returns a pattern for every spelling of an address. No two spellings of a part match the same text. */
const joinPatterns = (parts: AddressParts, patternOfOne: (character: string) => string): string =>
  parts
    .map((spellings) => spellings.map((spelling) => Array.from(spelling, (character) => patternOfOne(character)).join('')))
    .map((patterns) => (patterns.length > 1 ? `(?:${patterns.join('|')})` : patterns.join('')))
    .join('')

const ownPatternOf = (parts: AddressParts): string => {
  const ownBackslashes = parts.filter(([spelling]) => spelling === '\\').length
  const backslashes = ownBackslashes > maxOwnBackslashes ? { ...inText, markdown: '' } : inText
  return joinPatterns(parts, (character) => patternOfCharacter(character, backslashes))
}

// A longer address that contains this address belongs to another person, so the pattern does not match in
// `jim.bob@example.com` or `bob@example.com.au`.
const start = `(?<!${letter})(?<!${letter}${anyOf('._+-')})`
const end = `(?![\\p{L}\\p{N}]|${anyOf('.-')}[\\p{L}\\p{N}])`

/**
 * Returns whether a recipient's key is distinctive enough to be redacted from any text. A key that may be a common
 * word, such as `ops`, is not.
 */
const isDistinctive = (key: string): boolean => key.includes('@') || (key.length >= 8 && /\d/.test(key))

// The search pattern is made from at most this many characters of a recipient's key, because a very long pattern exhausts the
// stack of the embedded database. With such a pattern, the search finds nothing, and may report no error. Email addresses are
// shorter than this limit. The pattern for a longer key can also match texts that contain only the beginning of the key.
const maxSearchedCharacters = 256

const searchPatternOf = (parts: AddressParts): string => {
  let characters = 0
  const end = parts.findIndex((spellings) => {
    characters += spellings.join('').length
    return characters > maxSearchedCharacters
  })
  return joinPatterns(end < 0 ? parts : parts.slice(0, end), searchPatternOfCharacter)
}

/**
 * Creates an {@link AddressRedactor}.
 * @param key The recipient's `recipientKey`.
 * @param replacement The text that replaces the address.
 */
export const createAddressRedactor = (key: string, replacement: string): AddressRedactor => {
  if (!isDistinctive(key)) {
    const unchanged = <T>(value: T): T => value
    const texts = { redact: unchanged, redactJson: unchanged, redactMessage: unchanged, redactNames: unchanged }
    return { searchPattern: undefined, isIn: () => false, ...texts }
  }
  const parts = partsOf(key)
  const own = ownPatternOf(parts)
  const pattern = new RegExp(`${start}${own}${end}`, 'giu')
  // Created on first use, because compiling it takes as long as the other pattern, and most redactors never use it.
  let patternInWord: RegExp | undefined
  const redact = (text: string) => text.replace(pattern, () => replacement)
  const redactNames = <T extends object>(object: T): T => {
    const used = new Set(Object.keys(object))
    const rename = (name: string): string => {
      if (redact(name) === name) return name
      const newName = replacement.replace(':', '-')
      let unused = newName
      // Several names can contain the address, for example in upper and in lower case. Each of them gets a different new name.
      for (let number = 2; used.has(unused); number += 1) unused = `${newName}-${number}`
      used.add(unused)
      return unused
    }
    return Object.fromEntries(Object.entries(object).map(([name, value]: [string, unknown]) => [rename(name), value])) as T
  }
  // Providers count characters or bytes. The replacement is ASCII, so it has one byte per character.
  const redactWithinLength = (text: string) => text.replace(pattern, (found) => replacement.slice(0, Array.from(found).length))
  const redactStrings = <T>(value: T, redactString: (text: string) => string): T => {
    if (typeof value === 'string') return redactString(value) as T
    if (Array.isArray(value)) return value.map((item: unknown) => redactStrings(item, redactString)) as T
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(redactNames(value))
    return Object.fromEntries(entries.map(([name, inner]: [string, unknown]) => [name, redactStrings(inner, redactString)])) as T
  }
  return {
    searchPattern: searchPatternOf(parts),
    redact,
    isIn: (identifier) => {
      patternInWord ??= new RegExp(own, 'iu')
      return patternInWord.test(identifier)
    },
    redactJson: (value) => redactStrings(value, redact),
    redactMessage: (message) => redactStrings(message, redactWithinLength),
    redactNames,
  }
}
