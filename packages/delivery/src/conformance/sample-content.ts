import type { ContentLimits, RenderedContent } from '@flowpost/domain'

/** Malicious or malformed text: empty, invisible, very long, header injection, lone surrogates. */
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

/** Valid text that is easily altered in transit: dot-stuffing, Unicode, quoting, whitespace, long lines. */
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

/** Creates content truncated to a channel's limits. With a byte limit, the subject takes at most half of it. */
export function createContent(subject: string, text: string, { textCharacters, totalBytes }: ContentLimits): RenderedContent {
  if (totalBytes === undefined) return { subject, text: truncate(text, textCharacters) }
  const truncatedSubject = truncate(subject, undefined, Math.floor(totalBytes / 2))
  return { subject: truncatedSubject, text: truncate(text, textCharacters, totalBytes - Buffer.byteLength(truncatedSubject)) }
}

/** Truncates a text to a number of code points and of UTF-8 bytes, without splitting a code point. */
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
