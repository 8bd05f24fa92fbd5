import type { ContentLimits, RenderedContent } from '@flowpost/domain'

/** Texts that careless code changes on their way. */
export const hardTexts = [
  'plain',
  'first\nsecond\n\n.\n..fourth',
  'Ünïcode, 日本語, עברית, 👩‍👩‍👧‍👦 e\u0301',
  'tab\tand  two blanks, "quotes", \\backslash, {"json":1}, a=b&c%20d',
  '\n \tboth ends \n\n\t ',
  `long ${'x'.repeat(1500)}`,
]

/** As long as the interface takes one. */
export const longestSubject = `Ünïcode 🚀 ${'ü'.repeat(988)}`

/** A content within the limits of a channel: what does not fit is cut off. The subject leaves half of the bytes to the text. */
export function fittingContent(subject: string, text: string, { textCharacters, totalBytes }: ContentLimits): RenderedContent {
  if (totalBytes === undefined) return { subject, text: cut(text, textCharacters) }
  const shownSubject = cut(subject, undefined, Math.floor(totalBytes / 2))
  return { subject: shownSubject, text: cut(text, textCharacters, totalBytes - Buffer.byteLength(shownSubject)) }
}

/** The first code points of a text, whole ones. */
function cut(text: string, characters = Number.POSITIVE_INFINITY, bytes = Number.POSITIVE_INFINITY): string {
  let kept = ''
  let count = 0
  let size = 0
  for (const character of text) {
    count += 1
    size += Buffer.byteLength(character)
    if (count > characters || size > bytes) break
    kept += character
  }
  return kept
}
