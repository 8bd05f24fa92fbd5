/** The characters that are special in HTML text and in quoted attributes, with their references. */
const references: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escapeText = (value: string): string => value.replace(/[&<>"']/g, (character) => references[character] ?? character)

// A symbol that never leaves this file, so parsed JSON or a database row is never taken for markup.
const markup: unique symbol = Symbol('markup')

/** Markup created by {@link html}, which inserts no other value without escaping it. */
export interface Html {
  readonly [markup]: string
}

/** A value in a template of {@link html}. `null`, `undefined` and `false` insert nothing. */
export type HtmlValue = string | number | Html | readonly HtmlValue[] | null | undefined | false

const toMarkup = (value: HtmlValue): string => {
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'string' || typeof value === 'number') return escapeText(String(value))
  return markup in value ? value[markup] : value.map(toMarkup).join('')
}

/**
 * A template tag that escapes every value. Untrusted text is safe as element content and inside a **quoted** attribute, but
 * not in unquoted attributes, `<script>`, `<style>` or the scheme of a link.
 */
export const html = (strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html => ({
  // `cooked`, not `raw`: the text of the template is trusted and inserted as written.
  [markup]: strings.reduce((before, part, index) => before + toMarkup(values[index - 1]) + part),
})

/** Returns the text of markup. */
export const renderHtml = (value: Html): string => value[markup]
