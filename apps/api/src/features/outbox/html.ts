/** The characters that can end or open something where HTML text or a quoted attribute stands. */
const references: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escapeText = (value: string): string => value.replace(/[&<>"']/g, (character) => references[character] ?? character)

// A symbol that never leaves this file: parsed JSON or a database row cannot pose as markup.
const markup: unique symbol = Symbol('markup')

/** Markup that {@link html} made: the only thing that it inserts without escaping. */
export interface Html {
  readonly [markup]: string
}

/** What a template of {@link html} accepts. `null`, `undefined` and `false` insert nothing. */
export type HtmlValue = string | number | Html | readonly HtmlValue[] | null | undefined | false

const toMarkup = (value: HtmlValue): string => {
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'string' || typeof value === 'number') return escapeText(String(value))
  return markup in value ? value[markup] : value.map(toMarkup).join('')
}

/**
 * A template tag that escapes every value, so that text of any origin is safe as element content and
 * inside a **quoted** attribute. Not for unquoted attributes, `<script>`, `<style>` or the scheme of a link.
 */
export const html = (strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html => ({
  // `cooked`, not `raw`: the text of the template is the author's and is inserted as written.
  [markup]: strings.reduce((before, part, index) => before + toMarkup(values[index - 1]) + part),
})

/** The finished text of a piece of markup. */
export const renderHtml = (value: Html): string => value[markup]
