import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Channel,
  type NotificationPlan,
  planNotification,
  type Refusal,
  smtpChannel,
  type TemplatedFlow,
  type TextType,
} from './index.ts'
import { splitTemplateOf } from './split-template.ts'

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
const shouting: Channel = { ...smtpChannel, parseTarget: (address) => ({ ok: true, target: address.toUpperCase(), key: address }) }
const planFor = (flow: Flow, channel: Channel): NotificationPlan<Flow> | Refusal =>
  planNotification([flow], { subject: 'S', message: 'M', message_type: 'text/plain' }, { idOf: () => 'flw', channelOf: () => channel })

const anyTemplate = fc
  .array(fc.constantFrom('{{subject}}', '{{message}}', '\\n', '{{', 'text'), { maxLength: 80 })
  .map((parts) => parts.join(''))
const anyState = fc.record({
  target: fc.constantFrom('a@example.com', 'b@example.com', 'no address'),
  message_template: anyTemplate,
  message_template_type: fc.constantFrom<TextType>('text/plain', 'text/html'),
})

test('what is kept of a flow never outlasts a change of it, or of its channel', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyState, fc.constantFrom(smtpChannel, shouting)), { minLength: 2, maxLength: 6 }), (states) => {
      const flow: Flow = { ...plain }
      for (const [state, channel] of states) {
        Object.assign(flow, state)
        expect(planFor(flow, channel)).toEqual(planFor({ ...flow }, channel))
        expect(planFor(flow, channel)).toEqual(planFor({ ...flow }, channel))
      }
    }),
  )
})

test('a target is read once and a template split once, for as long as their flow is kept', () => {
  let reads = 0
  const counting: Channel = {
    ...smtpChannel,
    parseTarget: (address) => {
      reads += 1
      return smtpChannel.parseTarget(address)
    },
  }
  const flow: Flow = { ...plain }
  planFor(flow, counting)
  planFor(flow, counting)
  expect(reads).toBe(1)
  expect(splitTemplateOf(flow)).toBe(splitTemplateOf(flow))
  // What is kept of a flow must stay small beside it.
  flow.message_template = '{{subject}}'.repeat(33)
  expect(splitTemplateOf(flow)).not.toBe(splitTemplateOf(flow))
})
