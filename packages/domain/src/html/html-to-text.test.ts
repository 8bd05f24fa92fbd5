import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { escapeHtml } from './escape-html.ts'
import { htmlToText } from './html-to-text.ts'

describe('lays out', () => {
  test.each([
    [
      'headings and paragraphs with an empty line between them',
      '<h1>Invoice</h1><p>Paid <b>today</b>.</p><p>Bye</p>',
      'Invoice\n\nPaid today.\n\nBye',
    ],
    ['a line for each div', '<div>a</div><div>b<br></div><div>c</div>', 'a\nb\nc'],
    ['every line break, except at the start and the end', '<br>a<br/>b<BR><br>c<br>', 'a\nb\n\nc'],
    ['a run of white space as one space, even across tags', ' a \n\t b <i> c</i> d ', 'a b c d'],
    ['no space where the HTML has none', 'a<b>b</b>c', 'abc'],
    ['no-break spaces as spaces', 'a&nbsp;&nbsp;b<p>&nbsp;</p>c', 'a  b\n\nc'],
    ['preformatted text unchanged', '<p>x</p><pre>\n  a\n\n   b </pre><p>y', 'x\n\n  a\n\n   b \n\ny'],
    ['white space after an end tag without a <pre> as usual', 'a</pre>b\n  c', 'a\n\nb c'],
    ['indentation at the very start', '<pre>  a\n b</pre>', '  a\n b'],
    [
      'table rows on separate lines, with a space between cells',
      '<table><tr><th>Item</th><th>Sum</th></tr><tr><td>Tea<td>3</table>',
      'Item Sum\nTea 3',
    ],
    ['a horizontal rule', 'a<hr>b', 'a\n---\nb'],
    ['the alt text of an image', '<p>See <img src="x.png" alt="the chart"> here', 'See the chart here'],
  ])('%s', (_, html, text) => {
    expect(htmlToText(html)).toBe(text)
  })
})

describe('writes lists', () => {
  test.each([
    ['bullets', 'a<ul><li>b</li><li>c</li></ul>d', 'a\n\n- b\n- c\n\nd'],
    ['numbers', '<ol><li>a<li>b</ol>', '1. a\n2. b'],
    ['numbers from a given start', '<ol start="9"><li>a<li>b</ol>', '9. a\n10. b'],
    ['nested lists, indented', '<ul><li>a<ol><li>b</li></ol></li><li>c</ul>', '- a\n  1. b\n- c'],
    ['paragraphs within items', '<ul><li><p>a</p><p>b</p></li><li><p>c</p></li></ul>', '- a\nb\n- c'],
    ['nothing for empty items', '<ul><li></li><li>a</li><li> </li></ul>b', '- a\n\nb'],
    ['items without a list', '<li>a<li>b', '- a\n- b'],
    ['lists that are closed too often', '</ul></ol></li>a', 'a'],
  ])('%s', (_, html, text) => {
    expect(htmlToText(html)).toBe(text)
  })

  test('indented by at most eight levels', () => {
    expect(htmlToText(`${'<ul>'.repeat(50)}<li>a<li>b`)).toBe(`${' '.repeat(16)}- a\n${' '.repeat(16)}- b`)
  })
})

describe('writes links', () => {
  test.each([
    ['with their URLs', '<a href="https://example.com/a?b=1&amp;c=2">here</a>.', 'here (https://example.com/a?b=1&c=2).'],
    ['without the URL when it is the text', '<a href="https://example.com/">example.com</a>', 'example.com'],
    ['as the URL alone when there is no text', 'x <a href="https://example.com"><img src="y"></a>', 'x https://example.com'],
    [
      'to email addresses and telephone numbers without the scheme',
      '<a href="mailto:a@b.example?subject=x">us</a> <a href="tel:+1">+1</a>',
      'us (a@b.example) +1',
    ],
    ['across blocks', '<a href="https://example.com"><p>a</p></a>b', 'a (https://example.com)\n\nb'],
    ['in list items', '<ul><li><a href="https://example.com">https://example.com</a></ul>', '- https://example.com'],
    ['that are never closed', '<a href="https://a.example">a <a href="https://b.example">b', 'a (https://a.example) b (https://b.example)'],
    ['as their text alone when the URL means nothing to a reader', '<a href="#top">a</a> <a href="/b">b</a> <a>c</a>', 'a b c'],
    [
      'as their text alone when the URL contains a script or data',
      '<a href=" java\nscript:alert(1)">a</a> <a href="data:text/html,x">b</a>',
      'a b',
    ],
    ['with the first of two URLs', '<a href=https://a.example href=https://b.example>x</a>', 'x (https://a.example)'],
    ['without line breaks in the URL', '<a href="https://a.ex&#10;ample/b c">x</a>', 'x (https://a.example/b%20c)'],
  ])('%s', (_, html, text) => {
    expect(htmlToText(html)).toBe(text)
  })
})

describe('parses tags as browsers do', () => {
  test.each([
    ['a less-than sign that starts no tag', '1 < 2 and 3 <4, <', '1 < 2 and 3 <4, <'],
    ['a bracket in a quoted attribute', `a<b title="x > y" lang='>'>c</b>`, 'ac'],
    ['a quote in place of an attribute name', 'a<b ">c', 'ac'],
    ['spaces around the equals sign', '<img alt = "x"><img alt\n=y>', 'xy'],
    ['a tag that never ends', 'a<b title=c', 'a'],
    ['an attribute that never ends', 'a<b title="c>d', 'a'],
    ['comments', 'a<!-- <b> -- > -->b<!-->c<!--->d<!--e--!>f', 'abcdf'],
    ['a comment that never ends', 'a<!-- b', 'a'],
    ['a doctype, a processing instruction and a closing tag without a name', '<!DOCTYPE html>a<?xml x?>b</ c>d</>e', 'abde'],
    ["Outlook's conditional comments", '<!--[if mso]>x<![endif]--><![if !mso]>a<![endif]>', 'a'],
    ['escaped markup as text', '&lt;script&gt;x&lt;/script&gt;', '<script>x</script>'],
  ])('%s', (_, html, text) => {
    expect(htmlToText(html)).toBe(text)
  })
})

describe('omits hidden content', () => {
  test.each([
    ['script', 'a<script>x<b>y</script>b'],
    ['script in upper case, with attributes and a line break in the end tag', 'a<SCRIPT type="x>y">if (a</b/) "</scriptx>"</Script\n>b'],
    ['script in a comment within a script', 'a<script><!--<script>x</script>y--></script>b'],
    ['script that ends in a comment', 'a<script><!-- x </script>b'],
    ['script with an empty comment', 'a<script><!--><script></script>b'],
    ['style', 'a<style>p { color: red }</style>b'],
    ['title and template', 'a<title>x</title><template><p>y</p></template>b'],
    ['iframe', 'a<iframe>x</iframe>b'],
  ])('%s', (_, html) => {
    expect(htmlToText(html)).toBe('ab')
  })

  test('an unclosed script', () => {
    expect(htmlToText('a<script>b</p>')).toBe('a')
    expect(htmlToText('a<script><!--<script>b</script>')).toBe('a')
  })
})

/** Pieces of HTML that can form malformed markup when combined. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '<',
        '>',
        '</',
        '<!--',
        '-->',
        '"',
        "'",
        '=',
        '&',
        '&#',
        ';',
        ' ',
        '\n',
        '<a href="',
        '<a href=x>',
        '</a>',
        '<li>',
        '<ol>',
      ),
      fc.constantFrom(
        '<script',
        '<script>',
        '</script',
        '</script>',
        '<style>',
        '</style>',
        '<pre>',
        '</pre>',
        '<p>',
        '<br>',
        '</ul>',
        '<td>',
      ),
      fc.string({ unit: 'binary', maxLength: 5 }),
    ),
    { maxLength: 60 },
  )
  .map((pieces) => pieces.join(''))

test('returns trimmed text for any input', () => {
  fc.assert(
    fc.property(hostile, (html) => {
      const text = htmlToText(html)
      expect(text).toBe(text.trimEnd())
      expect(text.startsWith('\n')).toBe(false)
    }),
    { numRuns: 500 },
  )
})

test('omits the content of scripts and styles, whatever it is', () => {
  // The generated code cannot contain `SECRET`, so the document contains it only once, in the script or style.
  const code = fc.string({ unit: fc.constantFrom(...'<>/!-"\'=& \n', '</b>', '<b '), maxLength: 30 })
  const name = fc.constantFrom('script', 'SCRIPT', 'script type=module', 'style', 'Style media="x"')
  fc.assert(
    fc.property(fc.constantFrom('', '<p>', '<b title="x">', 'a ', '<pre>', '<ul><li>'), name, code, code, (before, tag, start, end) => {
      // `<!--` followed by `<script` may change where the script ends. Other tests cover that case.
      fc.pre(!`${start}SECRET${end}`.includes('<!--'))
      const text = htmlToText(`${before}<${tag}>${start}SECRET${end}</${tag.split(' ', 1)[0]}>after`)
      expect(text).not.toContain('SECRET')
      expect(text).toContain('after')
    }),
    { numRuns: 500 },
  )
})

test('returns escaped text unchanged except for white space', () => {
  const words = fc.string({ unit: fc.constantFrom(...'ab<>&"\';#/! ='), maxLength: 60 })
  fc.assert(
    fc.property(words, (text) => {
      expect(htmlToText(escapeHtml(text))).toBe(text.replace(/ +/g, ' ').trim())
    }),
  )
})

test('converts 100,000 characters of each kind of hostile HTML to text of limited length', () => {
  const kinds = [
    '<',
    '<a ',
    '<a href="x">y',
    "<a href='",
    '<ul><li>',
    '<!--',
    '<script>',
    '<!--<script>',
    '&#',
    '&nbsp;',
    ' ',
    '<p>',
    '<pre>',
    'a\n',
  ]
  for (const kind of kinds) {
    const text = htmlToText(kind.repeat(Math.ceil(100_000 / kind.length)))
    // Neither nested elements nor list markers multiply the length.
    expect(text.length).toBeLessThan(400_000)
  }
})

test('limits the length of the text relative to the length of the HTML, for any input', () => {
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 5 }), fc.integer({ min: 1, max: 400 }), (parts, times) => {
      const html = parts.join('').repeat(times)
      // `<li>` followed by a letter produces the most text per HTML character, because of the indented list marker.
      expect(htmlToText(html).length).toBeLessThanOrEqual(8 * html.length)
    }),
    { numRuns: 100 },
  )
})
