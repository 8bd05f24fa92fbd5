import { decodeEntities } from './html-entities.ts'

/** A piece of an HTML string: text, an opening tag or a closing tag. Names are in lower case, and character references are decoded. */
export type HtmlToken =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'open'; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly type: 'close'; readonly name: string }

/** The elements whose content browsers do not display, each with a pattern for its end tag. For `script`, see {@link findEndOfScript}. */
const hiddenElements = new Map(
  ['style', 'title', 'template', 'iframe', 'noembed', 'noframes'].map((name) => [name, new RegExp(`</${name}[\\t\\n\\f\\r />]`, 'gi')]),
)

/**
 * Splits HTML into text and tags as browsers do. Omits comments, doctypes and the content of elements that browsers never
 * show, such as `<style>`. Accepts any input: an unclosed tag, comment or script extends to the end, as in browsers.
 *
 * Differs from browsers in rare cases: a `<template>` ends at the first `</template>`, even if another one is nested in it.
 * Tags within `<textarea>` and `<xmp>` are tags, not text. `</br>` is a closing tag, not a line break.
 *
 * The running time is linear in the length of the input.
 *
 * Source: HTML Standard, 13.2.5 (tokenization), https://html.spec.whatwg.org/multipage/parsing.html#tokenization
 */
export function* htmlTokens(html: string): Generator<HtmlToken, void, undefined> {
  let at = 0
  while (at < html.length) {
    const markup = search(html, markupStart, at)
    if (markup > at) yield { type: 'text', text: decodeEntities(html.slice(at, markup)) }
    if (markup === html.length) return

    const closing = html[markup + 1] === '/'
    if (!isLetter(html.charCodeAt(markup + (closing ? 2 : 1)))) {
      at = html.startsWith('<!--', markup) ? findEndOfComment(html, markup + 4) : findAfter(html, '>', markup)
      continue
    }
    const tag = readTag(html, markup + (closing ? 2 : 1))
    if (tag === undefined) return
    at = tag.end
    if (closing) yield { type: 'close', name: tag.name }
    else {
      yield { type: 'open', name: tag.name, attributes: tag.attributes }
      const end = hiddenElements.get(tag.name)
      if (tag.name === 'script') at = findEndOfScript(html, at)
      else if (end) at = search(html, end, at)
    }
  }
}

const toCharCodes = (characters: string): ReadonlySet<number> => new Set(Array.from(characters, (character) => character.charCodeAt(0)))

const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)

const markupStart = /<[a-zA-Z/!?]/g

/** Returns the position of the next match of a global pattern, or the end of the text. */
const search = (html: string, pattern: RegExp, from: number): number => {
  pattern.lastIndex = from
  return pattern.exec(html)?.index ?? html.length
}

/** Returns the position after the next `mark`, or the end of the text. */
const findAfter = (html: string, mark: string, from: number): number => {
  const found = html.indexOf(mark, from)
  return found < 0 ? html.length : found + mark.length
}

const findEndOfComment = (html: string, start: number): number => {
  if (html[start] === '>') return start + 1
  if (html.startsWith('->', start)) return start + 2
  const end = search(html, /--!?>/g, start)
  return end === html.length ? end : findAfter(html, '>', end)
}

/**
 * Finds the end of a script. If the script contains `<!-- <script>`, the next `</script>` before `-->` closes only the inner
 * `<script>` (HTML Standard, 13.2.5.20 to 13.2.5.31).
 */
const findEndOfScript = (html: string, start: number): number => {
  const mark = /<!--|-->|<(\/?)script[\t\n\f\r />]/gi
  mark.lastIndex = start
  let inComment = false
  let inner = false
  for (let found = mark.exec(html); found; found = mark.exec(html)) {
    if (found[0] === '<!--') {
      inComment = true
      mark.lastIndex -= 2 // The dashes that start a comment can also end it, as in `<!-->`.
    } else if (found[0] === '-->') {
      inComment = false
      inner = false
    } else if (found[1] === '') inner = inComment
    else if (inner) inner = false
    else return found.index
  }
  return html.length
}

interface Tag {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly end: number
}

const blank = 1
const slash = 2
const equals = 4
const end = 8
const kinds = new Uint8Array(128)
for (const [characters, kind] of [
  ['\t\n\f\r ', blank],
  ['/', slash],
  ['=', equals],
  ['>', end],
] as const)
  for (const code of toCharCodes(characters)) kinds[code] = kind

/**
 * Skips characters whose kind is in the bit mask `wanted`, starting at `from`. Returns the position of the first
 * character of another kind, or the length of `html` if there is none.
 */
const skip = (html: string, from: number, wanted: number): number => {
  let at = from
  while (at < html.length && ((kinds[html.charCodeAt(at)] ?? 0) & wanted) !== 0) at += 1
  return at
}

/**
 * Returns the position of the first character at or after `from` whose kind is in the bit mask `wanted`, or the length
 * of `html` if there is none.
 */
const findNext = (html: string, from: number, wanted: number): number => {
  let at = from
  while (at < html.length && ((kinds[html.charCodeAt(at)] ?? 0) & wanted) === 0) at += 1
  return at
}

/** The attributes that tokens include. All others are skipped. */
const readAttributes: ReadonlySet<string> = new Set(['href', 'alt', 'start'])
const maxAttributeNameLength = 5

const noAttributes: ReadonlyMap<string, string> = new Map()

/** Reads a tag, starting at the first letter of its name. Returns `undefined` if the text ends within the tag. */
const readTag = (html: string, start: number): Tag | undefined => {
  let at = findNext(html, start, blank | slash | end)
  const name = html.slice(start, at).toLowerCase()
  let attributes: Map<string, string> | undefined
  for (;;) {
    at = skip(html, at, blank | slash)
    if (at >= html.length) return undefined
    if (html[at] === '>') return { name, attributes: attributes ?? noAttributes, end: at + 1 }
    const from = at
    at = findNext(html, at + 1, blank | slash | end | equals)
    // A name that is longer than `maxAttributeNameLength` is not in the set `readAttributes`, so it is not copied.
    const attribute = at - from <= maxAttributeNameLength ? html.slice(from, at).toLowerCase() : ''
    at = skip(html, at, blank)
    let value = ''
    if (html[at] === '=') {
      at = skip(html, at + 1, blank)
      const quote = html[at]
      const isQuoted = quote === '"' || quote === "'"
      const last = isQuoted ? html.indexOf(quote, at + 1) : findNext(html, at, blank | end)
      if (last < 0) return undefined
      value = html.slice(isQuoted ? at + 1 : at, last)
      at = isQuoted ? last + 1 : last
    }
    if (!readAttributes.has(attribute)) continue
    attributes ??= new Map()
    if (!attributes.has(attribute)) attributes.set(attribute, decodeEntities(value))
  }
}
