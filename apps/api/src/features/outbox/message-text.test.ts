import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderHtml } from './html.ts'
import { indentedJson, linkedText, visibleControls } from './message-text.ts'

const links = (text: string): string[] => [...renderHtml(linkedText(text)).matchAll(/<a href="([^"]*)"/g)].map((match) => match[1] ?? '')

test('links web addresses without the punctuation around them', () => {
  expect(links('See https://a.example/x?y=1, (http://b.example/path) or https://c.example.')).toEqual([
    'https://a.example/x?y=1',
    'http://b.example/path',
    'https://c.example',
  ])
  expect(links('<https://slack.example/a|label>')).toEqual(['https://slack.example/a'])
  expect(links('https://a.example/?a=1&b=2')).toEqual(['https://a.example/?a=1&amp;b=2'])
})

test.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'https://', 'http://[', 'xhttps:/a'])(
  'makes no link of %s',
  (text) => {
    expect(links(text)).toEqual([])
  },
)

test('shows exactly the given text, links or not', () => {
  const parts = fc.constantFrom('https://', 'http://a.example', '/x', '.', ')', ' ', '<', '"', '&', 'b', '[', '\n', '😀', '|')
  fc.assert(
    fc.property(fc.array(parts), (all) => {
      const text = all.join('')
      const rendered = renderHtml(linkedText(text))
      expect(rendered.replace(/<\/?a\b[^>]*>/g, '')).toBe(renderHtml(linkedText('')) + escaped(text))
      for (const link of links(text)) expect(link).toMatch(/^https?:\/\//)
    }),
  )
})

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;')

test('takes a megabyte of almost-links in a moment', () => {
  for (const piece of ['https://', 'https://a', 'https://)', '.', ')', 'http']) {
    const startedAt = performance.now()
    linkedText(`${piece.repeat(1_000_000 / piece.length)}a`)
    linkedText(`https://${piece.repeat(1_000_000 / piece.length)}a`)
    expect(performance.now() - startedAt).toBeLessThan(2000)
  }
})

test('makes control characters visible, and leaves line breaks and tabs', () => {
  expect(visibleControls('a\0b\x1b[31m\x7f\tc\r\nd')).toBe('a␀b␛[31m␡\tc\r\nd')
})

test('indents JSON only where that loses nothing', () => {
  expect(indentedJson('{"a":[1,"x"]}')).toBe('{\n  "a": [\n    1,\n    "x"\n  ]\n}')
  for (const source of ['{"a":12345678901234567890}', '{"a":1,"a":2}', '{ "a": 1 }', '{"a":1.0}', '{', ''])
    expect(indentedJson(source)).toBe(source)
})
