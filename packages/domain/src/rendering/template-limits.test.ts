import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { slackDescription } from '../channels/slack.ts'
import { smtpDescription } from '../channels/smtp.ts'
import type { TextType } from './content.ts'
import { countContentBytes, findContentIssues, maxRenderedBytes } from './content.ts'
import { renderMessage } from './template.ts'

const values = { subject: 'Subject', messageType: 'text/plain' } as const

describe('a template that repeats a long message', () => {
  const template = '{{message}}'.repeat(9_000)
  const message = 'x'.repeat(100_000)

  test.each([
    ['in a chat', slackDescription, 'text/plain'],
    ['in a plain-text email', smtpDescription, 'text/plain'],
    ['in an HTML email', smtpDescription, 'text/html'],
    ['on a channel without limits', { ...slackDescription, limits: {} }, 'text/plain'],
    [
      'in an HTML email on a channel that limits only the number of characters',
      { ...smtpDescription, limits: { textCharacters: 10 } },
      'text/html',
    ],
  ] as const)('is rendered only in part, and the content is rejected: %s', (_, channel, templateType) => {
    const content = renderMessage({ ...values, template, templateType, message }, channel)
    expect((content.html ?? content.text).length).toBeLessThanOrEqual(maxRenderedBytes + message.length)
    expect(findContentIssues(content, channel.limits).length > 0 || countContentBytes(content) > maxRenderedBytes).toBe(true)
    // Rejected content is not converted to text.
    if (content.html !== undefined) expect(content.text).toBe('')
  })
})

test('creates no text alternative for HTML that is too long', () => {
  const limits = { totalBytes: 100 }
  const render = (message: string) =>
    renderMessage({ ...values, template: '{{message}}', templateType: 'text/html', message }, { ...smtpDescription, limits })
  expect(render('x'.repeat(100))).toMatchObject({ text: 'x'.repeat(100) })
  expect(render('x'.repeat(101))).toMatchObject({ text: '', html: 'x'.repeat(101) })
  expect(findContentIssues(render('x'.repeat(101)), limits)).toHaveLength(1)
})

test('content whose rendering stopped early is always rejected, regardless of the limits', () => {
  const limit = fc.nat({ max: 300 })
  const anyLimits = fc.record({ textCharacters: limit, totalBytes: limit }, { requiredKeys: [] })
  const anyMessage = fc.constantFrom('x', 'é', '😀', '<i></i>', '&amp;').map((text) => text.repeat(10))
  const anyType = fc.constantFrom<TextType>('text/plain', 'text/html')
  fc.assert(
    fc.property(anyLimits, anyMessage, fc.integer({ min: 1, max: 40 }), anyType, (limits, message, times, type) => {
      const template = `!${'{{message}}'.repeat(times)}`
      const content = renderMessage(
        { template, templateType: type, subject: '', message, messageType: type },
        { ...smtpDescription, limits },
      )
      const isWhole = (content.html ?? content.text) === `!${message.repeat(times)}`
      expect(isWhole || findContentIssues(content, limits).length > 0).toBe(true)
    }),
    { numRuns: 500 },
  )
})
