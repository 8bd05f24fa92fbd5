import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeHtml } from './escape-html.ts'
import { decodeEntities } from './html-entities.ts'

test("escapes HTML's five special characters", () => {
  expect(escapeHtml(`<a href="x" title='y'>&</a>`)).toBe('&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;&lt;/a&gt;')
})

test('leaves no character that could end a text or a quoted attribute, and decodes to the original', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...'<>"\'&;#x3ltamp ') })), (value) => {
      const escaped = escapeHtml(value)
      expect(escaped).not.toMatch(/[<>"']/)
      expect(decodeEntities(escaped)).toBe(value)
    }),
  )
})
