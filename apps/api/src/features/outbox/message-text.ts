import { type Html, type HtmlValue, html } from './html.ts'

const link = /https?:\/\/[^\s<>"'`\\{}|^]+/gi
const punctuation = new Set('.,:;!?)]*_')

// Not a regular expression: one anchored at the end takes quadratic time on hostile text.
const withoutTrailingPunctuation = (address: string): string => {
  let end = address.length
  while (end > 0 && punctuation.has(address.charAt(end - 1))) end -= 1
  return address.slice(0, end)
}

/**
 * Text with its web addresses made links, so that a confirmation can be followed from here. Only `http` and
 * `https`: no other scheme can come out of it.
 */
export const linkedText = (text: string): Html => {
  const parts: HtmlValue[] = []
  let end = 0
  for (const match of text.matchAll(link)) {
    const address = withoutTrailingPunctuation(match[0])
    if (!URL.canParse(address)) continue
    parts.push(text.slice(end, match.index), html`<a href="${address}" target="_blank" rel="noopener noreferrer nofollow">${address}</a>`)
    end = match.index + address.length
  }
  return html`${parts}${text.slice(end)}`
}

/** Control characters as their pictures (U+2400 and on), so that what hides in a header or source is seen. */
export const visibleControls = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what this looks for.
  text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g, (character) =>
    character === '\x7f' ? '\u2421' : String.fromCharCode(0x2400 + character.charCodeAt(0)),
  )

/** JSON with indentation if that loses nothing (no big number, double name or own spacing), else as it is. */
export const indentedJson = (source: string): string => {
  try {
    const value: unknown = JSON.parse(source)
    return JSON.stringify(value) === source ? JSON.stringify(value, null, 2) : source
  } catch {
    return source
  }
}
