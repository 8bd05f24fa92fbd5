import { expect as jestExpect } from 'expect'
import { describe, expect, it } from 'vitest'
import { flowpostMatchers } from './matchers.ts'
import { createFlowpostMock } from './mock.ts'
import './vitest.ts'

jestExpect.extend(flowpostMatchers)

const sendTestMessage = async () => {
  const mock = createFlowpostMock()
  const mail = mock.seed.flow({
    name: 'by mail',
    target: 'ops@example.com',
    message_template: '<p>{{message}}</p>',
    message_template_type: 'text/html',
  })
  mock.seed.flow({
    project: { id: mail.project_id },
    name: 'by chat',
    source_type: 'slack',
    target: 'C024BE91L',
    message_template: '*{{message}}*',
  })
  await mock.client().notifications.send({ project_id: mail.project_id, subject: 'Invoice 42', message: 'Fish & chips' })
  return { mock, mail }
}

describe('toHaveSent', () => {
  it('finds a message by flow, target, subject and body', async () => {
    const { mock, mail } = await sendTestMessage()
    expect(mock).toHaveSent()
    expect(mock).toHaveSent({ flow: 'by mail', target: 'ops@example.com', subject: 'Invoice 42', body: /Fish &amp; chips/ })
    expect(mock).toHaveSent({ flow: mail, body: 'Fish & chips' })
    expect(mock).toHaveSent({ flow: mail.id, subject: /^invoice \d+$/i })
    expect(mock).toHaveSent({ flow: /chat$/, source_type: 'slack', body: '*Fish &amp; chips*' })
    expect(mock).not.toHaveSent({ flow: 'by mail', target: 'C024BE91L' })
    expect(mock).not.toHaveSent({ subject: 'Invoice' })
    expect(mock).not.toHaveSent({ body: /goulash/ })
  })

  it('supports stateful regular expressions', async () => {
    const { mock } = await sendTestMessage()
    const pattern = /Invoice/g
    for (let count = 0; count < 3; count += 1) expect(mock).toHaveSent({ subject: pattern })
  })

  it('lists the sent messages on failure', async () => {
    const { mock } = await sendTestMessage()
    const failed = () => expect(mock).toHaveSent({ target: 'billing@example.com', body: /goulash/ })
    expect(failed).toThrow('Expected a message like {"target":"billing@example.com","body":"/goulash/"}. Sent:')
    expect(failed).toThrow('1. flow "by mail" by smtp to ops@example.com: "Invoice 42", "<p>Fish &amp; chips</p>"')
    expect(() => expect(createFlowpostMock()).toHaveSent()).toThrow('Expected a message like {}. Nothing was sent.')
    expect(() => expect(mock).not.toHaveSent({ subject: 'Invoice 42' })).toThrow('Expected no message like')
  })

  it.each([
    [{ text: 'nope', to: 'nobody' }, 'toHaveSent has no field text. The fields are flow, target, subject, body, source_type'],
    ['nobody@example.com', 'toHaveSent requires an object'],
    [/Invoice/, 'toHaveSent requires an object'],
    [null, 'toHaveSent requires an object'],
    [{ target: null }, 'toHaveSent: target must be a string or a regular expression.'],
    [{ flow: {} }, 'toHaveSent: flow must be a string or a regular expression, or a flow.'],
  ])('throws a TypeError for %o, also when it is negated', async (expected, message) => {
    const { mock } = await sendTestMessage()
    for (const assertion of [expect(mock), expect(mock).not]) {
      const assert = () => assertion.toHaveSent(expected as never)
      expect(assert).toThrow(TypeError)
      expect(assert).toThrow(message)
    }
  })

  it('ignores fields that are undefined', async () => {
    const { mock } = await sendTestMessage()
    expect(mock).toHaveSent({ subject: 'Invoice 42', target: undefined } as object)
  })

  it('requires a mock', () => {
    expect(() => expect({}).toHaveSent()).toThrow('toHaveSent requires a mock')
  })
})

describe('toHaveSentTimes', () => {
  it('counts messages', async () => {
    const { mock } = await sendTestMessage()
    expect(mock).toHaveSentTimes(2)
    expect(mock).toHaveSentTimes(1, { source_type: 'slack' })
    expect(mock).toHaveSentTimes(0, { subject: 'Invoice 43' })
    expect(mock).not.toHaveSentTimes(1)
    expect(() => expect(mock).toHaveSentTimes(3)).toThrow('Expected 3 messages like {}, but found 2. Sent:')
    expect(() => expect(mock).not.toHaveSentTimes({ target: 'x' } as never)).toThrow(
      'toHaveSentTimes requires the number of messages, an integer of at least 0.',
    )
    expect(() => expect(mock).toHaveSentTimes(0, { to: 'x' } as never)).toThrow('toHaveSentTimes has no field to.')
  })
})

describe('the expect of Jest', () => {
  it('accepts the matchers', async () => {
    const { mock } = await sendTestMessage()
    const ours = (received: unknown) =>
      jestExpect(received) as unknown as { toHaveSent(expected: object): void; not: { toHaveSent(expected: object): void } }
    ours(mock).toHaveSent({ flow: 'by mail' })
    ours(mock).not.toHaveSent({ flow: 'by pigeon' })
    expect(() => ours(mock).toHaveSent({ flow: 'by pigeon' })).toThrow('Expected a message like')
  })
})
