import { htmlTokens } from './html-tokens.ts'
import { createTextWriter } from './text-writer.ts'

/** The number of newlines before and after an element, keyed by element name. Two newlines leave an empty line. */
const lineEndsAround = new Map<string, number>([
  ...['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'pre', 'dl', 'figure'].map((name) => [name, 2] as const),
  ...['address', 'article', 'aside', 'body', 'caption', 'center', 'dd', 'details', 'div', 'dt'].map((name) => [name, 1] as const),
  ...['fieldset', 'figcaption', 'footer', 'form', 'header', 'legend', 'main', 'nav'].map((name) => [name, 1] as const),
  ...['option', 'section', 'summary', 'table', 'tbody', 'tfoot', 'thead', 'tr'].map((name) => [name, 1] as const),
])

/** The maximum indentation level of nested lists. Without it, deep nesting would multiply the length of the text. */
const maxIndent = 8

/**
 * Converts HTML to plain text. Blocks are on separate lines, list items start with `- ` or their number, and an image
 * becomes its `alt` text. A link becomes `label (url)`; the URL is omitted if the label is the URL. Scripts, styles
 * and comments are omitted. Accepts any input and takes linear time.
 *
 * The result is text, not HTML: `&lt;b&gt;` becomes `<b>`. Escape the result before inserting it into HTML.
 * @param expand Replaces placeholders in link URLs and images' `alt` texts. All other text keeps its placeholders, and the
 * caller replaces them in the result. @default leaves placeholders unchanged
 */
export const htmlToText = (html: string, expand: (text: string) => string = (text) => text): string => {
  const writer = createTextWriter()
  const lists: { readonly ordered: boolean; next: number }[] = []
  let preformatted = 0
  let openedPreformatted = false
  let link: { readonly url: string; readonly mark: number } | undefined

  const endLink = () => {
    if (!link) return
    const { url, mark } = link
    link = undefined
    // Expands the label only to compare it with the URL. The label in the result keeps its placeholders.
    const label = expand(writer.since(mark))
    if (url === '' || removeScheme(label) === removeScheme(url)) return
    if (label === '') writer.inline(url)
    else writer.suffix(` (${url})`)
  }
  const separate = (name: string) => {
    const lineEnds = lineEndsAround.get(name)
    // The paragraphs within a list item are not separated by empty lines.
    if (lineEnds !== undefined) writer.block(lists.length > 0 ? 1 : lineEnds)
  }
  const listEdge = () => writer.block(lists.length > 0 ? 1 : 2)
  const startItem = () => {
    const list = lists.at(-1)
    const indent = '  '.repeat(Math.min(Math.max(lists.length - 1, 0), maxIndent))
    writer.item(indent + (list?.ordered ? `${list.next++}. ` : '- '))
  }

  const open = (name: string, attributes: ReadonlyMap<string, string>) => {
    separate(name)
    if (name === 'a') {
      endLink()
      link = { url: toVisibleUrl(expand(attributes.get('href') ?? '')), mark: writer.mark() }
    } else if (name === 'ul' || name === 'ol') {
      listEdge()
      lists.push({ ordered: name === 'ol', next: parseListStart(attributes.get('start')) })
    } else if (name === 'li') startItem()
    else if (name === 'td' || name === 'th') writer.inline(' ')
    else if (name === 'img') writer.inline(expand(attributes.get('alt') ?? ''))
    else if (name === 'br') writer.lineBreak()
    else if (name === 'hr') {
      writer.block(1)
      writer.inline('---')
      writer.block(1)
    } else if (name === 'pre') preformatted += 1
  }
  const close = (name: string) => {
    if (name === 'a') endLink()
    else if (name === 'ul' || name === 'ol') {
      writer.endItem()
      lists.pop()
      listEdge()
    } else if (name === 'li') writer.endItem()
    else if (name === 'pre') preformatted = Math.max(preformatted - 1, 0)
    separate(name)
  }

  for (const token of htmlTokens(html)) {
    if (token.type === 'open') open(token.name, token.attributes)
    else if (token.type === 'close') close(token.name)
    else if (preformatted === 0) writer.inline(token.text)
    // A line break right after `<pre>` is not part of its text (HTML Standard, 13.2.6.4.7).
    else writer.preformatted(openedPreformatted ? token.text.replace(/^\r?\n/, '') : token.text)
    openedPreformatted = token.type === 'open' && token.name === 'pre'
  }
  endLink()
  return writer.text()
}

/**
 * Returns the text to show for a link's URL: the whole URL for `http`, `https` and `ftp`, and only the address or number for
 * `mailto` and `tel`. Returns an empty string for any other URL, such as `#top`.
 */
const toVisibleUrl = (href: string): string => {
  const url = href
    .replace(/\p{Cc}/gu, '')
    .trim()
    .replaceAll(' ', '%20')
  if (/^(?:mailto|tel):/i.test(url)) return url.slice(url.indexOf(':') + 1).split('?', 1)[0] ?? ''
  return /^(?:https?|ftp):\/\//i.test(url) ? url : ''
}

const removeScheme = (text: string): string =>
  text
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/\/$/, '')

const parseListStart = (start: string | undefined): number => (start !== undefined && /^-?\d{1,9}$/.test(start) ? Number(start) : 1)
