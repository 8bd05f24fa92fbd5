import { createMarkdownRenderer } from 'vitepress'
import { expect, it } from 'vitest'
import { extendMarkdown } from './markdown-it.ts'

it.each([
  ['text', 'Use {{subject}}.'],
  ['code', 'Use `{{subject}}`.'],
  ['a heading', '## Use `{{subject}}`'],
  ['a table', '| `{{message}}` | b |\n|---|---|\n| `{{message}}` | c |'],
  ['HTML', 'Use <code>{{message}}</code>.'],
])('shows double braces in %s instead of evaluating them', async (_place, markdown) => {
  const md = await createMarkdownRenderer('.', { config: extendMarkdown })
  const html = md.render(markdown)
  // Vue evaluates text between double braces, but no attributes and no entities.
  expect(html.replaceAll(/<[^>]*>/g, '')).not.toContain('{{')
  expect(html).toMatch(/&#123;&#123;(?:subject|message)}}/)
})
