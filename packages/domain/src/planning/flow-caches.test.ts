import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCountingChannel } from '../../test/counting-channel.ts'
import {
  type Channel,
  type NotificationPlan,
  planNotification,
  type Rejection,
  smtpDescription,
  type TemplatedFlow,
  type TextType,
} from '../index.ts'
import { splitTemplateOfFlow } from '../rendering/split-template.ts'

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }
type Flow = Mutable<TemplatedFlow>

const plain: TemplatedFlow = {
  active: true,
  source_type: 'smtp',
  target: 'a@example.com',
  override_target: true,
  message_template: '{{subject}}',
  message_template_type: 'text/plain',
}
const shouting: Channel = { ...smtpDescription, parseTarget: (address) => ({ ok: true, target: address.toUpperCase(), key: address }) }
const planFor = (flow: Flow, channel: Channel): NotificationPlan<Flow> | Rejection =>
  planNotification([flow], { subject: 'S', message: 'M', message_type: 'text/plain' }, { idOf: () => 'flw', channelOf: () => channel })

const anyTemplate = fc
  .array(fc.constantFrom('{{subject}}', '{{message}}', '\\n', '{{', 'text'), { maxLength: 80 })
  .map((parts) => parts.join(''))
const anyState = fc.record({
  target: fc.constantFrom('a@example.com', 'b@example.com', 'no address'),
  message_template: anyTemplate,
  message_template_type: fc.constantFrom<TextType>('text/plain', 'text/html'),
})

test('cached results are dropped when the flow or its channel changes', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyState, fc.constantFrom(smtpDescription, shouting)), { minLength: 2, maxLength: 6 }), (states) => {
      const flow: Flow = { ...plain }
      for (const [state, channel] of states) {
        Object.assign(flow, state)
        expect(planFor(flow, channel)).toEqual(planFor({ ...flow }, channel))
        expect(planFor(flow, channel)).toEqual(planFor({ ...flow }, channel))
      }
    }),
  )
})

test('a target is parsed once and a template split once per flow object', () => {
  const { channel, parseCount } = createCountingChannel()
  const flow: Flow = { ...plain }
  planFor(flow, channel)
  planFor(flow, channel)
  expect(parseCount()).toBe(1)
  expect(splitTemplateOfFlow(flow)).toBe(splitTemplateOfFlow(flow))
  // A template with too many placeholders is not cached, so that the cache stays small.
  flow.message_template = '{{subject}}'.repeat(33)
  expect(splitTemplateOfFlow(flow)).not.toBe(splitTemplateOfFlow(flow))
})
