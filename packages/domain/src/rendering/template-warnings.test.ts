import { describe, expect, test } from 'vitest'
import type { Channel } from '../channels/channel.ts'
import { builtInDescriptions } from '../channels/index.ts'
import type { TextType } from './content.ts'
import { findTemplateWarnings } from './template-warnings.ts'

const channelOf = (id: string): Channel => {
  const channel = builtInDescriptions.find((description) => description.id === id)
  if (!channel) throw new Error(id)
  return channel
}

const smtp = channelOf('smtp')

const codes = (template: string, templateType: TextType = 'text/plain', channelId = 'smtp') =>
  findTemplateWarnings({ template, templateType, channel: channelOf(channelId) }).map((warning) => warning.code)

describe('returns no warnings for', () => {
  test.each<[string, TextType, string]>([
    ['{{message}}', 'text/plain', 'smtp'],
    ['{{message}}', 'text/plain', 'webhook'],
    ["Hi,\\n\\n'{{subject}}': {{message}}", 'text/plain', 'slack'],
    ['<style>p{color:red}</style><p>{{message}}</p>', 'text/html', 'smtp'],
    ['{{{message}}}', 'text/plain', 'smtp'],
  ])('%s as %s on %s', (template, templateType, channelId) => {
    expect(codes(template, templateType, channelId)).toEqual([])
  })
})

describe('warns about an unescaped message', () => {
  test.each<[TextType, string, string[]]>([
    ['text/plain', 'slack', ['unescaped_message']],
    ['text/plain', 'discord', ['unescaped_message']],
    ['text/plain', 'teams', ['unescaped_message']],
    ['text/html', 'smtp', ['unescaped_message']],
    ['text/html', 'slack', ['unescaped_message', 'html_on_chat']],
    ['text/html', 'webhook', ['html_on_chat']],
  ])('for only {{message}} as %s on %s', (templateType, channelId, expected) => {
    expect(codes('{{message}}', templateType, channelId)).toEqual(expected)
  })

  test('but not if the provider is unknown, or a chat without an escape function', () => {
    const warningsOf = (channel: Pick<Channel, 'kind' | 'escape'> | undefined) =>
      findTemplateWarnings({ template: '{{message}}', templateType: 'text/plain', channel })
    expect(warningsOf(undefined)).toEqual([])
    expect(warningsOf({ kind: 'chat' })).toEqual([])
  })

  test('but not with other text in the template', () => {
    expect(codes('{{message}} ', 'text/plain', 'slack')).toEqual([])
  })
})

test('warns about a template without placeholders', () => {
  expect(findTemplateWarnings({ template: 'Hello', templateType: 'text/plain', channel: smtp })).toEqual([
    {
      code: 'no_placeholder',
      pointer: '/message_template',
      message: 'The template has neither {{subject}} nor {{message}}, so every message is the same.',
    },
  ])
})

test('warns about text/html in a chat, with a pointer to the type', () => {
  const [warning] = findTemplateWarnings({ template: '<p>{{message}}</p>', templateType: 'text/html', channel: channelOf('slack') })
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
      channel: smtp,
    })
    expect(more).toEqual([])
    expect(warning).toEqual({
      code: 'unknown_placeholder',
      pointer: '/message_template',
      message: `${placeholder} is not a placeholder and is sent unchanged. Did you mean {{${intendedName}}}?`,
    })
  })

  test.each(['{{user}}', '{{}}', '{{#each items}}'])('%s, without a suggestion', (placeholder) => {
    const warnings = findTemplateWarnings({ template: `${placeholder} {{message}}`, templateType: 'text/plain', channel: smtp })
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
