import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Channel } from '../channels/channel.ts'
import { slackDescription } from '../channels/slack.ts'
import { smtpDescription } from '../channels/smtp.ts'
import type { TextType } from './content.ts'
import { type MessageParts, renderMessage } from './template.ts'

const parts = (changes: Partial<MessageParts>): MessageParts => ({
  template: '{{subject}}: {{message}}',
  templateType: 'text/plain',
  subject: 'Subject',
  message: 'Message',
  messageType: 'text/plain',
  ...changes,
})
const email = (changes: Partial<MessageParts>) => renderMessage(parts(changes), smtpDescription)
const chat = (changes: Partial<MessageParts>) => renderMessage(parts(changes), slackDescription)
const html = 'text/html' as const

describe('substitution', () => {
  test.each([
    ['every occurrence of both placeholders', '{{message}}{{subject}} {{message}}', 'MessageSubject Message'],
    ['placeholders within additional braces', '{{{message}}}{{{{subject}}', '{Message}{{Subject'],
    [
      'a placeholder next to text that only looks like one',
      '{{ message }}{{Message}}{{msg}}{message}{{subject}}',
      '{{ message }}{{Message}}{{msg}}{message}Subject',
    ],
    ['nothing where there is no placeholder', 'Good morning', 'Good morning'],
  ])('replaces %s', (_, template, text) => {
    expect(email({ template }).text).toBe(text)
  })

  test('does not expand a placeholder in a value', () => {
    const text = email({ subject: '{{message}}', message: '{{subject}} {{message}}' }).text
    expect(text).toBe('{{message}}: {{subject}} {{message}}')
  })

  test('does not form a placeholder from a template and a value', () => {
    expect(email({ template: '{{{{subject}}message}}', subject: '' }).text).toBe('{{message}}')
  })

  test('inserts the replacement patterns of String.replace literally', () => {
    const value = "$& $1 $$ $` $' $<name>"
    expect(email({ subject: value, message: value }).text).toBe(`${value}: ${value}`)
    expect(email({ templateType: html, template: '<p>{{subject}}</p>', subject: '$& $$' }).html).toBe('<p>$&amp; $$</p>')
  })

  test('replaces in one pass, for any values', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', '{', '}', '{{', '}}', '$&', '\\', ' '), maxLength: 6 }).map((text) => `<${text}>`)
    const name = fc.constantFrom('subject', 'message')
    const value = fc.string({ unit: fc.constantFrom('{{subject}}', '{{message}}', '{{', '}}', 'b', '$1', '\\n', '\n'), maxLength: 6 })
    fc.assert(
      fc.property(piece, fc.array(fc.tuple(name, piece), { maxLength: 5 }), value, value, (first, rest, subject, message) => {
        const line = subject.replaceAll('\n', '')
        const template = first + rest.map(([key, text]) => `{{${key}}}${text}`).join('')
        const expected = first + rest.map(([key, text]) => (key === 'subject' ? line : message) + text).join('')
        expect(email({ template, subject: line, message }).text).toBe(expected)
      }),
    )
  })
})

describe('the template {{message}}', () => {
  const template = '{{message}}'
  const message = '<b>&amp;</b> {{subject}} \\n\r\nx'

  test.each(['text/plain', 'text/html'] as const)('sends a %s message unmodified', (messageType) => {
    expect(email({ template, message, messageType })).toEqual({ subject: 'Subject', text: message })
    expect(chat({ template, message, messageType })).toEqual({ subject: 'Subject', text: message })
    expect(chat({ template, templateType: html, message, messageType }).text).toBe(message)
    expect(email({ template, templateType: html, message, messageType }).html).toBe(message)
  })

  test('still creates the text alternative of an HTML email', () => {
    expect(email({ template, templateType: html, message: '<p>a</p><p>b' }).text).toBe('a\n\nb')
  })

  test('with any other text, escapes the message in a chat', () => {
    expect(chat({ template: '{{message}} ', message: '<' }).text).toBe('&lt; ')
  })
})

describe('an HTML email', () => {
  const template = '<h1>{{subject}}</h1><p title="{{subject}}">{{message}}</p>\\n'

  test('escapes values and converts their line breaks to <br>', () => {
    const content = email({ template, templateType: html, subject: 'a "b" & <c>', message: "1\n2\r\n3\r4 'x'" })
    expect(content.html).toBe(
      '<h1>a &quot;b&quot; &amp; &lt;c&gt;</h1><p title="a &quot;b&quot; &amp; &lt;c&gt;">1<br>2<br>3<br>4 &#39;x&#39;</p>\\n',
    )
  })

  test('has a text alternative with unescaped values', () => {
    expect(
      email({ template: '<h1>{{subject}}</h1><p>{{message}}</p>', templateType: html, subject: 'a & b', message: '1\n<2>' }),
    ).toMatchObject({
      subject: 'a & b',
      text: 'a & b\n\n1\n<2>',
    })
  })

  test('contains the markup of a text/html message, but no markup from the subject', () => {
    const content = email({
      template: '<p>{{subject}}</p>{{message}}',
      templateType: html,
      subject: '<i>',
      message: '<b>x</b>\ny',
      messageType: html,
    })
    expect(content.html).toBe('<p>&lt;i&gt;</p><b>x</b>\ny')
  })

  test('never lets a value break out of its text or quoted attribute', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.string({ unit: fc.constantFrom(...'<>"\'&=/ \n\r', '<script>', '</p>', '-->', '{{message}}', '$`'), maxLength: 20 }),
    )
    fc.assert(
      fc.property(value, (message) => {
        const rendered =
          email({ template: '<p title="{{message}}" lang=\'{{message}}\'>{{message}}</p>', templateType: html, message }).html ?? ''
        const escaped = rendered.slice('<p title="'.length, rendered.indexOf('" lang='))
        expect(rendered).toBe(`<p title="${escaped}" lang='${escaped}'>${escaped}</p>`)
        expect(escaped.replaceAll('<br>', '')).not.toMatch(/[<>"'\r\n]/)
        expect(escaped.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, '')).not.toContain('&')
      }),
    )
  })
})

describe('a plain-text email', () => {
  test('contains its values unchanged', () => {
    const content = email({ subject: '<&>', message: '"a"\r\n\\n<b>' })
    expect(content).toEqual({ subject: '<&>', text: '<&>: "a"\r\n\\n<b>' })
  })

  test('contains the plain text of a text/html message', () => {
    expect(email({ message: '<p>a &amp; b</p><p>c', messageType: html }).text).toBe('Subject: a & b\n\nc')
  })
})

describe('a chat message', () => {
  test('contains values escaped by the channel, and an unchanged template', () => {
    expect(chat({ template: '<!here> *{{subject}}* {{message}}', subject: 'a & b', message: '<@U1> "x"' }).text).toBe(
      '<!here> *a &amp; b* &lt;@U1&gt; "x"',
    )
  })

  test('contains the escaped plain text of a text/html message', () => {
    expect(chat({ message: '<b>1 &lt; 2</b> &amp; <a href="https://example.com">more</a>', messageType: html }).text).toBe(
      'Subject: 1 &lt; 2 &amp; more (https://example.com)',
    )
  })

  test('contains the markup of a text/html template as text, and has no HTML', () => {
    const content = chat({ template: '<h1>{{subject}}</h1>\\n{{message}}', templateType: html, message: '<b>x</b>', messageType: html })
    expect(content).toEqual({ subject: 'Subject', text: '<h1>Subject</h1>\\nx' })
  })

  test('contains its values unchanged if the channel has no escaping', () => {
    const plain: Channel = { id: 'plain', kind: 'chat', parseTarget: slackDescription.parseTarget, limits: {} }
    expect(renderMessage(parts({ message: '<&>' }), plain).text).toBe('Subject: <&>')
  })
})

describe('line breaks written as \\n', () => {
  test('become line breaks in a text/plain template, in addition to actual line breaks', () => {
    expect(email({ template: 'Hi,\\n\\n{{message}}\nBye\\' }).text).toBe('Hi,\n\nMessage\nBye\\')
    expect(chat({ template: '{{subject}}\\n{{message}}' }).text).toBe('Subject\nMessage')
  })

  test('stay unchanged in values, and where a template and a value meet', () => {
    expect(email({ template: '\\{{message}}', message: 'n\\n' }).text).toBe('\\n\\n')
  })

  test('stay unchanged in a text/html template', () => {
    expect(email({ template: '<p>C:\\new {{message}}</p>', templateType: html }).html).toBe('<p>C:\\new Message</p>')
  })
})

test('a subject is always a single line', () => {
  expect(email({ subject: 'a\r\nBcc: x@example.com\rb\nc' }).subject).toBe('a Bcc: x@example.com b c')
})

test('renders anything without throwing', () => {
  const type = fc.constantFrom<TextType>('text/plain', 'text/html')
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('{{message}}', '{{subject}}', '<', '&', '\\n', 'a') }),
  )
  fc.assert(
    fc.property(
      text,
      type,
      text,
      text,
      type,
      fc.constantFrom(smtpDescription, slackDescription),
      (template, templateType, subject, message, messageType, channel) => {
        const content = renderMessage({ template, templateType, subject, message, messageType }, channel)
        expect(content.html === undefined).toBe(channel.kind === 'chat' || templateType === 'text/plain')
        expect(content.subject).not.toMatch(/[\r\n]/)
      },
    ),
  )
})
