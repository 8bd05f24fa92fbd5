import fc from 'fast-check'
import { expect, test } from 'vitest'
import { smtpDescription } from '../channels/smtp.ts'
import { htmlToText } from '../html/html-to-text.ts'
import { renderMessage } from './template.ts'

const html = 'text/html' as const
const email = (parts: { template: string; templateType: typeof html; subject?: string; message: string }) =>
  renderMessage({ subject: 'Subject', messageType: 'text/plain', ...parts }, smtpDescription)

test('the text alternative equals the result of htmlToText for the rendered HTML', () => {
  const piece = fc.constantFrom(
    ...[
      '{{subject}}',
      '{{message}}',
      '<a href="https://a.example/{{subject}}">',
      '<a href="{{message}}">',
      '</a>',
      '<img alt="{{subject}}">',
    ],
    ...[
      '<p>',
      '</p>',
      '<li>',
      '<ul>',
      '<!-- {{message}} -->',
      '<script>{{message}}</script>',
      '<b title="{{subject}}">',
      'text',
      ' ',
      '<br>',
      '<pre>',
    ],
  )
  const value = fc.constantFrom('a', 'two words', 'x & <y>', '1\n2', 'https://b.example/?a=1&b=2')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), value, value, (pieces, subject, message) => {
      const content = email({ template: `-${pieces.join('')}`, templateType: html, subject: subject.replace('\n', ' '), message })
      expect(content.text).toBe(htmlToText(content.html ?? ''))
    }),
    { numRuns: 1_000 },
  )
})

test.each(['\ufdd1', '&#xFDD1;', '&#xFD\ufdd0D1;', '&#64977', '<a href="http://x.example/&#xFDD1;">y</a>', '<img alt="&#xFDD1;">'])(
  'inserts values only at placeholders, not at %j',
  (text) => {
    const content = email({ template: `<p>{{subject}}: ${text}</p>`, templateType: html, message: 'SECRET' })
    expect(content.text).toMatch(/^Subject:/)
    expect(content.text).not.toContain('SECRET')
  },
)

test('limits the length of the text alternative, whatever the template and the values contain', () => {
  const piece = fc.constantFrom('\ufdd0', '\ufdd1', '&#xfdd1;', '{{message}}', '<a href="http://{{message}}">', '</a>', 'x')
  const value = fc.constantFrom('\ufdd1', '\ufdd0'.repeat(50), '{{message}}'.repeat(50))
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), value, (pieces, message) => {
      const template = pieces.join('')
      const { text } = email({ template, templateType: html, message })
      const placeholders = template.split('{{message}}').length - 1
      expect(text.length).toBeLessThanOrEqual(template.length + message.length * placeholders)
    }),
  )
})
