import { describe, expect, test } from 'vitest'
import type { ChannelKind } from '../channels/channel.ts'
import type { TextType } from './content.ts'
import { findTemplateWarnings } from './template-warnings.ts'

const codes = (template: string, templateType: TextType = 'text/plain', channelKind: ChannelKind = 'email') =>
  findTemplateWarnings({ template, templateType, channelKind }).map((warning) => warning.code)

describe('returns no warnings for', () => {
  test.each<[string, TextType, ChannelKind]>([
    ['{{message}}', 'text/plain', 'email'],
    ["Hi,\\n\\n'{{subject}}': {{message}}", 'text/plain', 'chat'],
    ['<style>p{color:red}</style><p>{{message}}</p>', 'text/html', 'email'],
    ['{{{message}}}', 'text/plain', 'email'],
  ])('%s as %s on %s', (template, templateType, channelKind) => {
    expect(codes(template, templateType, channelKind)).toEqual([])
  })
})

describe('warns about an unescaped message', () => {
  test.each<[TextType, ChannelKind, string[]]>([
    ['text/plain', 'chat', ['unescaped_message']],
    ['text/html', 'email', ['unescaped_message']],
    ['text/html', 'chat', ['unescaped_message', 'html_on_chat']],
  ])('for only {{message}} as %s on %s', (templateType, channelKind, expected) => {
    expect(codes('{{message}}', templateType, channelKind)).toEqual(expected)
  })

  test('but not with other text in the template', () => {
    expect(codes('{{message}} ', 'text/plain', 'chat')).toEqual([])
  })
})

test('warns about a template without placeholders', () => {
  expect(findTemplateWarnings({ template: 'Hello', templateType: 'text/plain', channelKind: 'email' })).toEqual([
    {
      code: 'no_placeholder',
      pointer: '/message_template',
      message: 'The template has neither {{subject}} nor {{message}}, so every message is the same.',
    },
  ])
})

test('warns about text/html in a chat, with a pointer to the type', () => {
  const [warning] = findTemplateWarnings({ template: '<p>{{message}}</p>', templateType: 'text/html', channelKind: 'chat' })
  expect(warning).toMatchObject({ code: 'html_on_chat', pointer: '/message_template_type' })
})

describe('warns about a placeholder that is not replaced', () => {
  test.each([
    ['{{messge}}', 'message'],
    ['{{ message }}', 'message'],
    ['{{Subject}}', 'subject'],
    ['{{SUBJECT}}', 'subject'],
    ['{{sujbect}}', 'subject'],
    ['{{message_body}}', 'message'],
    ['{{notification.subject}}', 'subject'],
    ['{{title}}', 'subject'],
    ['{{ body }}', 'message'],
  ])('%s, and suggests {{%s}}', (placeholder, intendedName) => {
    const [warning, ...more] = findTemplateWarnings({
      template: `${placeholder} {{message}} {{subject}}`,
      templateType: 'text/plain',
      channelKind: 'email',
    })
    expect(more).toEqual([])
    expect(warning).toEqual({
      code: 'unknown_placeholder',
      pointer: '/message_template',
      message: `${placeholder} is not a placeholder and is sent unchanged. Did you mean {{${intendedName}}}?`,
    })
  })

  test.each(['{{user}}', '{{}}', '{{#each items}}'])('%s, without a suggestion', (placeholder) => {
    const warnings = findTemplateWarnings({ template: `${placeholder} {{message}}`, templateType: 'text/plain', channelKind: 'email' })
    expect(warnings.map((warning) => warning.message)).toEqual([
      `${placeholder} is not a placeholder and is sent unchanged. Only {{subject}} and {{message}} are replaced.`,
    ])
  })

  test('in addition to the warning about missing placeholders', () => {
    expect(codes('Hi {{messge}}')).toEqual(['no_placeholder', 'unknown_placeholder'])
  })

  test('once per name, and at most ten times', () => {
    expect(codes('{{message}} {{a}} {{a}} {{b}}')).toEqual(['unknown_placeholder', 'unknown_placeholder'])
    const many = Array.from({ length: 5_000 }, (_, index) => `{{x${index}}}`).join('')
    expect(codes(`{{message}} ${many}`)).toHaveLength(10)
  })
})
