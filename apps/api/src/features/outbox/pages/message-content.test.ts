import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderHtml } from '../../../shared/html.ts'
import { indentedJson, linkedText, messageFrameDocument, visibleControls, visibleSubject } from './message-content.ts'

const links = (text: string): string[] => [...renderHtml(linkedText(text)).matchAll(/<a href="([^"]*)"/g)].map((match) => match[1] ?? '')

test('links URLs without the punctuation around them', () => {
  expect(links('See https://a.example/x?y=1, (http://b.example/path) or https://c.example.')).toEqual([
    'https://a.example/x?y=1',
    'http://b.example/path',
    'https://c.example',
  ])
  expect(links('<https://slack.example/a|label>')).toEqual(['https://slack.example/a'])
  expect(links('A link (https://a.example/x)Logo')).toEqual(['https://a.example/x'])
  expect(links('https://a.example/wiki/Mercury_(planet).')).toEqual(['https://a.example/wiki/Mercury_(planet)'])
  expect(links('https://a.example/?a=1&b=2')).toEqual(['https://a.example/?a=1&amp;b=2'])
})

test.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'https://', 'http://[', 'xhttps:/a'])(
  'does not turn %s into a link',
  (text) => {
    expect(links(text)).toEqual([])
  },
)

test('shows exactly the given text, with or without links', () => {
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

test('processes a megabyte of near-links in linear time', () => {
  for (const piece of ['https://', 'https://a', 'https://)', '.', ')', 'http']) {
    const startedAt = performance.now()
    linkedText(`${piece.repeat(1_000_000 / piece.length)}a`)
    linkedText(`https://${piece.repeat(1_000_000 / piece.length)}a`)
    expect(performance.now() - startedAt).toBeLessThan(2000)
  }
})

test('makes control characters visible, except line breaks and tabs', () => {
  expect(visibleControls('a\0b\x1b[31m\x7f\tc\r\nd')).toBe('a␀b␛[31m␡\tc\r\nd')
})

test.each(['', ' ', '\u200b', '\u2003\u3000', '\u202e', '\u3164', '\x00'])('replaces the invisible subject %j', (subject) => {
  expect(visibleSubject(subject)).toBe('(no subject)')
  expect(visibleSubject(`${subject}a`)).toBe(`${subject}a`)
})

test('indents JSON only if that preserves its content', () => {
  expect(indentedJson('{"a":[1,"x"]}')).toBe('{\n  "a": [\n    1,\n    "x"\n  ]\n}')
  for (const source of ['{"a":12345678901234567890}', '{"a":1,"a":2}', '{ "a": 1 }', '{"a":1.0}', '{', ''])
    expect(indentedJson(source)).toBe(source)
})

test('makes every link open a new window, which the sandbox blocks', () => {
  const after = fc.constantFrom(' ', '\t', '\n', '\f', '\r', '/', '>')
  fc.assert(
    fc.property(fc.mixedCase(fc.constantFrom('<a', '<area')), after, fc.string(), (tag, end, rest) => {
      const [, attributes] = messageFrameDocument(`<p>${tag}${end}target=_self ${rest}`).split(/<p><a(?:rea)? /)
      expect(attributes?.startsWith(`target=_blank ${end}target=_self`)).toBe(true)
    }),
  )
})

test('removes every SVG animation that can change the target of a link', () => {
  expect(messageFrameDocument('<Set to=_self></SET ><animate/><animateMotion>')).toMatch(
    /<x-set to=_self><\/x-set ><x-animate\/><animateMotion>$/,
  )
})

test('removes every link and frame element, in any spelling', () => {
  const tag = fc.mixedCase(fc.constantFrom('<link', '<iframe', '<frame'))
  const after = fc.constantFrom(' ', '\t', '\n', '\f', '\r', '/', '>')
  fc.assert(
    fc.property(fc.array(fc.oneof(tag, after, fc.string())), tag, after, (noise, last, end) => {
      const body = noise.join('') + last + end
      expect(messageFrameDocument(body)).not.toMatch(/<(?:link|i?frame)[\t\n\f\r />]/i)
    }),
  )
})

test('closes the element that replaces a frame, so the content after the frame is shown', () => {
  expect(messageFrameDocument('<p>a</p><IFRAME src="//a.example">b</IFRAME ><p>c</p>')).toMatch(
    /<p>a<\/p><x-frame src="\/\/a.example">b<\/x-frame ><p>c<\/p>$/,
  )
})

test('changes no other element', () => {
  const body =
    '<!doctype html><html><head><style>a{}</style></head><frameset></frameset>&lt;link <linkage> <b>link, iframe</b><abbr>a</abbr></a></html>'
  expect(messageFrameDocument(body).endsWith(body)).toBe(true)
})
