import { type Html, type HtmlValue, html } from '../../../shared/html.ts'

const link = /https?:\/\/[^\s<>"'`\\{}|^]+/gi
const punctuation = new Set('.,:;!?]*_')

// Uses a loop, because a regular expression that is anchored at the end takes quadratic time on malicious text.
const withoutTrailingPunctuation = (address: string): string => {
  let end = address.length
  while (end > 0 && punctuation.has(address.charAt(end - 1))) end -= 1
  return address.slice(0, end)
}

// A `)` without a `(` belongs to the text around the address, as in `Order (https://shop.example/42)is ready`.
const withinParentheses = (address: string): string => {
  let depth = 0
  for (let index = 0; index < address.length; index += 1) {
    const character = address.charAt(index)
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (depth < 0) return address.slice(0, index)
  }
  return address
}

/** Turns `http` and `https` URLs in text into links. No other scheme becomes a link. */
export const linkedText = (text: string): Html => {
  const parts: HtmlValue[] = []
  let end = 0
  for (const match of text.matchAll(link)) {
    const address = withoutTrailingPunctuation(withinParentheses(match[0]))
    if (!URL.canParse(address)) continue
    parts.push(text.slice(end, match.index), html`<a href="${address}" target="_blank" rel="noopener noreferrer nofollow">${address}</a>`)
    end = match.index + address.length
  }
  return html`${parts}${text.slice(end)}`
}

/** Replaces ASCII control characters, except tabs and line breaks, with visible symbols (U+2400 and following). */
export const visibleControls = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the function replaces them.
  text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g, (character) =>
    character === '\x7f' ? '\u2421' : String.fromCharCode(0x2400 + character.charCodeAt(0)),
  )

/** Returns the subject, or `(no subject)` if no character of it is visible. Links and headings with this text have a name. */
export const visibleSubject = (subject: string): string =>
  /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(subject) ? subject : '(no subject)'

/**
 * Indents compact JSON. Returns all other text unchanged, including JSON that would change when parsed and serialized
 * again, such as JSON with big numbers or duplicate names.
 */
export const indentedJson = (source: string): string => {
  try {
    const value: unknown = JSON.parse(source)
    return JSON.stringify(value) === source ? JSON.stringify(value, null, 2) : source
  } catch {
    return source
  }
}

/**
 * The start of a framed document. Firefox supports links in MathML. `<base>` gives them a new window as their target, for the
 * reason stated at `<a` below. The font applies only to messages that set no font, because `:where` has no specificity.
 */
const prologue = '<!doctype html><meta charset="utf-8"><base target="_blank"><style>:where(body){font-family:system-ui,sans-serif}</style>'

/** The replacements for the starts of tags that make browsers open connections despite the content security policy. */
const elementReplacements: Readonly<Record<string, string>> = {
  // `<link rel="preconnect">` opens a connection. `<basefont>` is a safe replacement, because it is valid in the same places
  // and does nothing.
  '<link': '<basefont',
  // Chromium connects to the host of a frame before it applies `frame-src`.
  '<iframe': '<x-frame',
  '</iframe': '</x-frame',
  '<frame': '<x-frame',
  // A link opens a new window, which the sandbox blocks, so a plain click does nothing. In its own window, it would connect before
  // `frame-src` applies. Of two attributes with one name, browsers use the first, so the message cannot set another target.
  '<a': '<a target=_blank ',
  '<area': '<area target=_blank ',
  // SVG animations can change the target of an SVG link.
  '<set': '<x-set',
  '</set': '</x-set',
  '<animate': '<x-animate',
  '</animate': '</x-animate',
}

/**
 * Returns the document that shows a message's HTML in a frame. Changes elements that make browsers open connections
 * despite the content security policy, because a connection would reveal that the message was read. A search for the
 * literal tag names finds all these elements: browsers do not decode a tag name such as `&#108;ink` to `link`. Source:
 * HTML Standard, sections 13.2.5.8 (tag name state) and 13.2.6.4.4 (in head).
 */
export const messageFrameDocument = (body: string): string =>
  prologue +
  body.replace(/<(?:link|\/?iframe|frame|a|area|\/?set|\/?animate)(?=[\s/>])/gi, (tag) => elementReplacements[tag.toLowerCase()] ?? '')
