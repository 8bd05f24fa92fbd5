import type { Config, HtmlTemplate } from './config-types.ts'

/**
 * Returns a config unchanged, so that TypeScript checks its type and editors complete its fields. `flowpost validate`
 * checks its values.
 */
export const defineConfig = <const Definition extends Config>(config: Definition): Definition => config

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character)

/**
 * Creates an HTML template for a flow. Escapes inserted strings, but not inserted `html` templates. Removes the
 * indentation that all lines share, and the first and the last line break.
 */
export const html = (strings: TemplateStringsArray, ...values: readonly (string | number | HtmlTemplate)[]): HtmlTemplate => {
  const text = strings.map((part, index) => part + textOf(values[index] ?? '')).join('')
  const lines = text.replace(/^\s*\n|\n[ \t]*$/g, '').split('\n')
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
  const indent = Math.min(...indents)
  return { html: lines.map((line) => line.slice(Number.isFinite(indent) ? indent : 0)).join('\n') }
}

const textOf = (value: string | number | HtmlTemplate): string => (typeof value === 'object' ? value.html : escapeHtml(String(value)))
