import { expect, test } from 'vitest'
import { type Channel, smtpDescription } from '../index.ts'
import { type RenderedByFlow, recoverMessage } from './recover-message.ts'

/** Calls `recover` with flows whose contents are the given texts. Returns the result and the number of rendered messages. */
const countRenderings = (texts: readonly string[], template: string | ((index: number) => string)) => {
  let renderings = 0
  const channel: Channel = {
    ...smtpDescription,
    // The renderer reads the limits once for each plain-text message.
    get limits() {
      renderings += 1
      return smtpDescription.limits
    },
  }
  const rendered = texts.map(
    (text, index): RenderedByFlow => ({
      flow: {
        active: true,
        source_type: 'smtp',
        target: 'a@example.com',
        override_target: true,
        message_template: typeof template === 'string' ? template : template(index),
        message_template_type: 'text/plain',
      },
      channel,
      content: { subject: 'S', text },
    }),
  )
  const message = recoverMessage('S', rendered)
  return { message, renderings }
}

const repeat = (text: string, count: number): string[] => Array.from({ length: count }, () => text)

test('renders the same wrong message only once, although many flows provide it', () => {
  const { message, renderings } = countRenderings([...repeat('Hi first', 100), 'Hi second'], 'Hi {{message}}')
  expect(message).toBeUndefined()
  expect(renderings).toBeLessThan(110)
})

test('does not render flows whose template does not contain the message', () => {
  const template = (index: number) => (index < 100 ? 'Read it.' : 'Hi {{message}}')
  const { message, renderings } = countRenderings([...repeat('Read it.', 100), 'Hi first'], template)
  expect(message).toMatchObject({ message: 'first' })
  expect(renderings).toBe(1)
})

test('renders a message once for each flow that it reached', () => {
  const { message, renderings } = countRenderings(repeat('Hi first', 1_000), 'Hi {{message}}')
  expect(message).toMatchObject({ message: 'first' })
  expect(renderings).toBe(1_000)
})

test('gives up after 2,000 renderings', () => {
  const texts = Array.from({ length: 1_000 }, (_, index) => `${index}`)
  expect(countRenderings(texts, '{{message}}')).toEqual({ message: undefined, renderings: 2_000 })
})
