// Control characters, which can start escape sequences, and characters that reorder text or break lines.
const unsafe = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
const unsafeExceptLineBreaks = /(?![\n\t])[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/**
 * Converts text to a single line, and replaces control characters so that text from a server cannot control the
 * terminal.
 */
export const toSafeLine = (text: string): string => text.replace(/\r?\n|\t/g, ' ').replace(unsafe, '�')

/** Replaces control characters other than line breaks and tabs, so that text from a server cannot control the terminal. */
export const toSafeText = (text: string): string => text.replace(/\r\n/g, '\n').replace(unsafeExceptLineBreaks, '�')

/** Serializes a value as JSON in one line, or with indentation. Escapes characters that could control a terminal. */
export const toSafeJson = (value: unknown, indentation?: number): string =>
  JSON.stringify(value, undefined, indentation).replace(
    /(?!\n)[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => {
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
    },
  )
