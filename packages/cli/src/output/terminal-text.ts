// Control characters, which can start escape sequences, and characters that reorder text or break lines.
const unsafe = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu
const unsafeExceptLineBreaks = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu

/**
 * Converts text to a single line, and replaces control characters so that text from a server cannot control the
 * terminal.
 */
export const toSafeLine = (text: string): string => text.replace(/\r?\n|\t/g, ' ').replace(unsafe, '�')

/** Replaces control characters other than line breaks and tabs, so that text from a server cannot control the terminal. */
export const toSafeText = (text: string): string => text.replace(/\r\n/g, '\n').replace(unsafeExceptLineBreaks, '�')

/** Formats a count, such as `1,234`. Converts it to a number, because a hostile server may send text instead. */
export const formatCount = (count: number): string => Number(count).toLocaleString('en')

/** Serializes a value as JSON in one line, or with indentation. Escapes characters that could control a terminal. */
export const toSafeJson = (value: unknown, indentation?: number): string =>
  JSON.stringify(value, undefined, indentation).replace(/(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
