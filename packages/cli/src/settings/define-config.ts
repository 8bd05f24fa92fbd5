import type { Config, HtmlTemplate } from './config-types.ts'

/**
 * Returns a config unchanged, so that TypeScript checks its type and editors complete its fields. `flowpost validate`
 * checks its values.
 */
export const defineConfig = <const Definition extends Config>(config: Definition): Definition => config

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? character)

/**
 * Creates an HTML template for a flow. Escapes inserted strings. Does not escape inserted `html` templates. Joins the items of
 * an inserted list. Removes the indentation that all lines share, and the first and the last line break.
 *
 * @throws {TypeError} When an inserted object is neither an `html` template nor a list, or when the template contains
 * an invalid escape, such as `\2022`. For a literal backslash, write `\\2022`.
 */
export const html = (
  strings: TemplateStringsArray,
  ...values: readonly (string | number | HtmlTemplate | readonly (string | number | HtmlTemplate)[])[]
): HtmlTemplate => {
  const text = strings
    .map((part: string | undefined, index) => {
      if (part === undefined) throw createEscapeError(strings.raw[index] ?? '')
      return part + [values[index] ?? ''].flat().map(textOf).join('')
    })
    .join('')
  const lines = text.replace(/^\s*\n|\n[ \t]*$/g, '').split('\n')
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
  const indent = Math.min(...indents)
  return { html: lines.map((line) => line.slice(Number.isFinite(indent) ? indent : 0)).join('\n') }
}

// Captures the invalid escapes of a template literal. Valid escapes, such as `\\`, match without a capture.
const escapes = /\\(?:((?:[1-9]|0\d|x(?![\da-fA-F]{2})|u(?![\da-fA-F]{4}|\{[\da-fA-F]+\}))\w*)|[\s\S])/g

/** Creates an error that names the first invalid escape in a part of a template. */
const createEscapeError = (raw: string): TypeError => {
  const found = [...raw.matchAll(escapes)].find(([, invalid]) => invalid !== undefined)?.[0] ?? raw.trim()
  return new TypeError(`The html template contains the invalid escape ${found}. For a backslash, write \\${found}.`)
}

const textOf = (value: string | number | HtmlTemplate): string => {
  if (typeof value !== 'object' || value === null) return escapeHtml(String(value ?? ''))
  if (typeof value.html !== 'string')
    throw new TypeError('Only strings, numbers, html templates and lists of these can be inserted into an html template.')
  return value.html
}
