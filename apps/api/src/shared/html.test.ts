import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type HtmlValue, html, renderHtml } from './html.ts'

const decode = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom('<', '>', '&', '"', "'", '&lt;', '</p>', '<script>', '-->', '\0', '\n', 'a')).map((parts) => parts.join('')),
)

test('escapes every special character in a value', () => {
  fc.assert(
    fc.property(anyText, anyText, (attribute, content) => {
      const rendered = renderHtml(html`<p title="${attribute}">${content}</p>`)
      const parts = /^<p title="([^"<>']*)">([^<>"']*)<\/p>$/.exec(rendered)
      expect(decode(parts?.[1] ?? 'no match')).toBe(attribute)
      expect(decode(parts?.[2] ?? 'no match')).toBe(content)
    }),
  )
})

test('escapes every string exactly once in nested templates and lists', () => {
  const { tree } = fc.letrec<{ tree: { value: HtmlValue; text: string } }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      anyText.map((text) => ({ value: text, text })),
      fc.integer().map((number) => ({ value: number, text: String(number) })),
      fc.constantFrom(null, undefined, false as const).map((value) => ({ value, text: '' })),
      fc
        .array(tie('tree'), { maxLength: 4 })
        .map((all) => ({ value: all.map(({ value }) => value), text: all.map(({ text }) => text).join('') })),
      tie('tree').map(({ value, text }) => ({ value: html`${value}`, text })),
    ),
  }))
  fc.assert(
    fc.property(tree, ({ value, text }) => {
      const rendered = renderHtml(html`${value}`)
      expect(rendered).not.toMatch(/[<>"']/)
      expect(decode(rendered)).toBe(text)
    }),
  )
})

test('keeps the markup of an inner template', () => {
  const rows = ['a', 'b & c'].map((text) => html`<li>${text}</li>`)
  expect(renderHtml(html`<ol>${rows}</ol>`)).toBe('<ol><li>a</li><li>b &amp; c</li></ol>')
})

test('rejects forged markup from parsed JSON', () => {
  const forged = JSON.parse('{"markup":"<b>","Symbol(markup)":"<b>"}') as HtmlValue
  expect(() => renderHtml(html`${forged}`)).toThrow(TypeError)
})
