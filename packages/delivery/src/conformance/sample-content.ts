import type { ContentLimits, RenderedContent } from '@flowpost/domain'

/** Malicious or malformed strings, such as empty, invisible and very long strings, header injections, and lone surrogates. */
export const maliciousTexts = [
  '',
  ' ',
  '\u0000',
  '\r\n.\r\n',
  'a\r\nBcc: eve@example.com',
  ';',
  'x;y',
  ':',
  '../../etc',
  '<script>',
  '%00',
  '\ud800',
  '\u202eabc',
  '👩‍👩‍👧‍👦',
  'e\u0301',
  '\ufeff',
  '__proto__',
  'x'.repeat(10_000),
]

/** Valid strings that a faulty transport may alter: lines that start with a dot, Unicode, quoting, white space and long lines. */
export const fragileTexts = [
  'plain',
  'first\nsecond\n\n.\n..fourth',
  'Ünïcode, 日本語, עברית, 👩‍👩‍👧‍👦 e\u0301',
  'tab\tand  two blanks, "quotes", \\backslash, {"json":1}, a=b&c%20d',
  '\n \tboth ends \n\n\t ',
  `long ${'x'.repeat(1500)}`,
]

/** A subject of the maximum length, 998 characters. */
export const maxLengthSubject = `Ünïcode 🚀 ${'ü'.repeat(988)}`

/**
 * Creates content and truncates it to a channel's limits. If there is a byte limit, the subject takes at most half of the
 * bytes.
 */
export function createContent(subject: string, text: string, { textCharacters, totalBytes }: ContentLimits): RenderedContent {
  if (totalBytes === undefined) return { subject, text: truncate(text, textCharacters) }
  const truncatedSubject = truncate(subject, undefined, Math.floor(totalBytes / 2))
  return { subject: truncatedSubject, text: truncate(text, textCharacters, totalBytes - Buffer.byteLength(truncatedSubject)) }
}

/** Truncates text to at most `maxCharacters` code points and `maxBytes` UTF-8 bytes, without splitting a code point. */
function truncate(text: string, maxCharacters = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY): string {
  let truncated = ''
  let characters = 0
  let bytes = 0
  for (const character of text) {
    characters += 1
    bytes += Buffer.byteLength(character)
    if (characters > maxCharacters || bytes > maxBytes) break
    truncated += character
  }
  return truncated
}
