import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { slackChannel } from './channels/slack.ts'
import { smtpChannel } from './channels/smtp.ts'
import type { TextType } from './content.ts'
import { contentBytes, contentFaults, maxRenderedBytes } from './content-limits.ts'
import { renderMessage } from './template.ts'

const values = { subject: 'Subject', messageType: 'text/plain' } as const

describe('a template that repeats a long message', () => {
  const template = '{{message}}'.repeat(9_000)
  const message = 'x'.repeat(100_000)

  test.each([
    ['on a chat', slackChannel, 'text/plain'],
    ['in a plain email', smtpChannel, 'text/plain'],
    ['in an HTML email', smtpChannel, 'text/html'],
    ['on a channel without limits', { ...slackChannel, limits: {} }, 'text/plain'],
    ['on a channel that limits only the text of its HTML', { ...smtpChannel, limits: { textCharacters: 10 } }, 'text/html'],
  ] as const)('stops early, and the content is refused: %s', (_, channel, templateType) => {
    const content = renderMessage({ ...values, template, templateType, message }, channel)
    expect((content.html ?? content.text).length).toBeLessThanOrEqual(maxRenderedBytes + message.length)
    expect(contentFaults(content, channel.limits).length > 0 || contentBytes(content) > maxRenderedBytes).toBe(true)
    // What is refused is not converted to text.
    if (content.html !== undefined) expect(content.text).toBe('')
  })
})

test('no text alternative is made of HTML that is refused for its length', () => {
  const limits = { totalBytes: 100 }
  const render = (message: string) =>
    renderMessage({ ...values, template: '{{message}}', templateType: 'text/html', message }, { ...smtpChannel, limits })
  expect(render('x'.repeat(100))).toMatchObject({ text: 'x'.repeat(100) })
  expect(render('x'.repeat(101))).toMatchObject({ text: '', html: 'x'.repeat(101) })
  expect(contentFaults(render('x'.repeat(101)), limits)).toHaveLength(1)
})

test('a content that stopped early is always refused, whatever the limits', () => {
  const limit = fc.nat({ max: 300 })
  const anyLimits = fc.record({ textCharacters: limit, totalBytes: limit }, { requiredKeys: [] })
  const anyMessage = fc.constantFrom('x', 'é', '😀', '<i></i>', '&amp;').map((text) => text.repeat(10))
  const anyType = fc.constantFrom<TextType>('text/plain', 'text/html')
  fc.assert(
    fc.property(anyLimits, anyMessage, fc.integer({ min: 1, max: 40 }), anyType, (limits, message, times, type) => {
      const template = `!${'{{message}}'.repeat(times)}`
      const content = renderMessage({ template, templateType: type, subject: '', message, messageType: type }, { ...smtpChannel, limits })
      const isWhole = (content.html ?? content.text) === `!${message.repeat(times)}`
      expect(isWhole || contentFaults(content, limits).length > 0).toBe(true)
    }),
    { numRuns: 500 },
  )
})
