import { escapeHtml } from '@flowpost/domain'

// Only this file can access the symbol, so parsed JSON or a database row cannot be mistaken for markup.
const markup: unique symbol = Symbol('markup')

/** Markup created by {@link html} or {@link trustMarkup}. Templates insert it unescaped, and escape all other values. */
export interface Html {
  readonly [markup]: string
}

/** A value in an {@link html} template. `null`, `undefined` and `false` insert nothing. */
export type HtmlValue = string | number | Html | readonly HtmlValue[] | null | undefined | false

const toMarkup = (value: HtmlValue): string => {
  if (value === null || value === undefined || value === false) return ''
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value))
  return markup in value ? value[markup] : value.map(toMarkup).join('')
}

/**
 * A template tag that escapes every value. Untrusted text is safe as element content and inside a **quoted** attribute, but
 * not in unquoted attributes, `<script>`, `<style>` or the scheme of a link.
 */
export const html = (strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html => ({
  // Only the values are escaped: the text of the template is trusted.
  [markup]: strings.reduce((before, part, index) => before + toMarkup(values[index - 1]) + part),
})

/** Marks text as markup. Pass only output of a library that escapes its input. */
export const trustMarkup = (text: string): Html => ({ [markup]: text })

/** Returns markup as a string. */
export const renderHtml = (value: Html): string => value[markup]
