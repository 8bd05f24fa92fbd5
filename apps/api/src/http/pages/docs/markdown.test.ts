import { expect, test } from 'vitest'
import { renderHtml } from '../../../shared/html.ts'
import { renderInline, renderMarkdown } from './markdown.ts'

const inline = (text: string) => renderHtml(renderInline(text, '../'))

test('renders paragraphs, code and emphasis', () => {
  expect(renderHtml(renderMarkdown('A `b`\nand **c**.\n\nD.', ''))).toBe('<p>A <code>b</code>\nand <strong>c</strong>.</p>\n<p>D.</p>\n')
})

test('escapes markup, and links to no scripts', () => {
  expect(inline('<script>alert(1)</script> <img src=x onerror=alert(1)>')).not.toMatch(/<[a-z]/)
  expect(inline('[a](javascript:alert(1)) [b](data:text/html,x)')).not.toContain('<a')
})

test('links to the equivalent pages on this server instead of the documentation site', () => {
  expect(inline('[a](/reference/api/flows#flows-create)')).toBe('<a href="../docs/flows#flows-create">a</a>')
  expect(inline('[a](/reference/api/)')).toBe('<a href="../docs">a</a>')
  expect(inline('[a](/problems/not_found)')).toBe('<a href="../docs/problems/not_found">a</a>')
})

test('links to the documentation site for all other pages', () => {
  expect(inline('[a](/guides/receipts)')).toBe('<a href="https://flowpost.github.io/flowpost/guides/receipts">a</a>')
  expect(inline('[a](https://example.com/)')).toBe('<a href="https://example.com/">a</a>')
})
