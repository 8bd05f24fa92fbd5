import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Channel,
  describeDiscord,
  mailgunDescription,
  type NotificationRequest,
  planNotification,
  rejectionOf,
  slackDescription,
  smtpDescription,
} from '../index.ts'
import { compareOutcomes, planOutcome } from './compare-plans.ts'
import { type DatedFlow, recoverRequest, type StoredNotification } from './recover-request.ts'

const channels: ReadonlyMap<string, Channel> = new Map<string, Channel>([
  ['smtp', smtpDescription],
  ['mailgun', mailgunDescription],
  ['slack', slackDescription],
  ['discord', describeDiscord()],
])
const channelOf = (sourceType: string) => channels.get(sourceType)

const sentAt = 1_000

const flowOf = (id: string, fields: Partial<DatedFlow> = {}): DatedFlow => ({
  id,
  active: true,
  source_type: 'smtp',
  target: `${id}@example.com`,
  override_target: true,
  message_template: '{{message}}',
  message_template_type: 'text/plain',
  createdAtMs: 1,
  updatedAtMs: 1,
  ...fields,
})

/** Returns the notification that is stored for a request, or `undefined` if the request is rejected. */
const store = (flows: readonly DatedFlow[], request: NotificationRequest): StoredNotification | undefined => {
  const candidates = flows.filter(({ id }) => request.flow_id === undefined || request.flow_id === id)
  const plan = planNotification(candidates, request, { idOf: ({ id }) => id, channelOf })
  if (!plan.ok || rejectionOf(plan, new Set())) return undefined
  const deliveries = plan.matched.flatMap(({ flow, content, targets }) =>
    targets.map((target) => ({ flowId: flow.id, sourceType: flow.source_type, target, content })),
  )
  const address = { flowId: request.flow_id, hasTarget: request.target !== undefined }
  return { id: 'ntf', createdAtMs: sentAt, subject: request.subject, address, deliveries }
}

const recover = (flows: readonly DatedFlow[], request: Partial<NotificationRequest> = {}, now = flows) => {
  const stored = store(flows, { subject: 'Disk', message: 'Full & "hot"', message_type: 'text/plain', ...request })
  if (!stored) throw new Error('The request was rejected.')
  return recoverRequest(stored, now, channelOf)
}

describe('a recovered request', () => {
  test('names no flow if the original named none', () => {
    expect(recover([flowOf('a'), flowOf('b'), flowOf('off', { active: false })])).toEqual({
      subject: 'Disk',
      message: 'Full & "hot"',
      message_type: 'text/plain',
    })
  })

  test('names the flow that the original named', () => {
    expect(recover([flowOf('a'), flowOf('b')], { flow_id: 'b' })).toMatchObject({ flow_id: 'b' })
    expect(recover([flowOf('a')], { flow_id: 'a' })).toMatchObject({ flow_id: 'a' })
  })

  test('has the targets of an override', () => {
    expect(recover([flowOf('a'), flowOf('b')], { target: 'x@example.com' })).toMatchObject({ target: 'x@example.com' })
    expect(recover([flowOf('a'), flowOf('b')], { target: 'x@example.com', flow_id: 'b' })).toMatchObject({
      flow_id: 'b',
      target: 'x@example.com',
    })
  })

  test.each(['x@example.com', 'x@example.com;mailgun:y@example.com', 'smtp:x@example.com;mailgun:y@example.com'])(
    'names a provider only where the deliveries show that the original named one: %s',
    (target) => expect(recover([flowOf('a'), flowOf('b', { source_type: 'mailgun' })], { target })).toMatchObject({ target }),
  )

  test('is still accepted after one of the two providers that received its target is switched off', () => {
    const [a, b] = [flowOf('a'), flowOf('b', { source_type: 'mailgun' })]
    const request = recover([a, b], { target: 'x@example.com' }) as NotificationRequest
    expect(planOutcome([a, { ...b, active: false }], request, channelOf)).toMatchObject({ matched: [{ targets: ['x@example.com'] }] })
  })

  test.each([
    ['a plain-text template', { message_template: 'Hi {{subject}}:\\n{{message}} - {{message}}!' }, 'Full & <b>hot</b>'],
    [
      'an HTML template',
      { message_template: '<p>{{subject}}</p>{{message}}', message_template_type: 'text/html' as const },
      'Full & <hot>\nnow',
    ],
    [
      'an HTML template',
      { message_template: '<p>{{message}}</p>', message_template_type: 'text/html' as const },
      'Line breaks\r\nas in <Windows>',
    ],
    ['a chat template', { source_type: 'slack', target: 'C024BE91L', message_template: '*{{subject}}* {{message}}' }, 'Full & <hot>'],
    [
      'a Discord template',
      { source_type: 'discord', target: 'ops', message_template: '{{subject}}: {{message}}' },
      '1. *Full*\n2. <https://a.example/b_c> @hot',
    ],
  ])('has the message that %s rendered', (_, fields, message) => {
    expect(recover([flowOf('a', fields)], { message })).toMatchObject({ message, message_type: 'text/plain' })
  })

  test('has an equivalent link if Discord needs another form', () => {
    const flow = flowOf('a', { source_type: 'discord', target: 'ops', message_template: '{{subject}}: {{message}}' })
    const { message } = recover([flow], { message: 'Full (https://a.example/b_(c)), https://a.example/@d' }) ?? {}
    expect(message).toBe('Full (<https://a.example/b_%28c%29>), <https://a.example/%40d>')
  })

  test('has the markup of an HTML message', () => {
    const flow = flowOf('a', { message_template: '<h1>{{subject}}</h1>{{message}}', message_template_type: 'text/html' })
    const message = '<p>Disk is <b>full</b> &amp; hot</p>'
    expect(recover([flow], { message, message_type: 'text/html' })).toMatchObject({ message, message_type: 'text/html' })
  })

  test('ignores flows that were created later', () => {
    const flows = [flowOf('a')]
    expect(recover(flows, {}, [...flows, flowOf('later', { createdAtMs: 2_000, updatedAtMs: 2_000 })])).not.toHaveProperty('flow_id')
  })

  test("does not mistake a changed flow's old target for an override", () => {
    const changed = flowOf('b', { target: 'new@example.com', updatedAtMs: 2_000 })
    const request = recover([flowOf('a'), flowOf('b')], {}, [flowOf('a'), changed])
    expect(request).toEqual({ subject: 'Disk', message: 'Full & "hot"', message_type: 'text/plain' })
  })

  test('is undefined if no unchanged flow rendered the message, or if too little is stored', () => {
    const flow = flowOf('a')
    expect(recover([flow], {}, [{ ...flow, updatedAtMs: 2_000 }])).toBeUndefined()
    expect(recover([flowOf('a', { message_template: '{{subject}}' })])).toBeUndefined()
    const stored = store([flow], { subject: 'Disk', message: 'Full', message_type: 'text/plain' }) as StoredNotification
    expect(recoverRequest({ ...stored, subject: null }, [flow], channelOf)).toBeUndefined()
    expect(recoverRequest({ ...stored, address: undefined }, [flow], channelOf)).toBeUndefined()
    const deliveries = stored.deliveries.map((delivery) => ({ ...delivery, content: null }))
    expect(recoverRequest({ ...stored, deliveries }, [flow], channelOf)).toBeUndefined()
  })
})

const anyFlows = fc
  .array(
    fc.record({
      active: fc.boolean(),
      receiver: fc.constantFrom(
        { source_type: 'smtp', target: 'a@example.com' },
        { source_type: 'mailgun', target: 'a@example.com' },
        { source_type: 'slack', target: 'C024BE91L' },
      ),
      override_target: fc.boolean(),
      message_template: fc.constantFrom('{{message}}', '{{subject}} {{message}}{{message}}', '<p>{{subject}}</p>{{message}}', 'fixed'),
      message_template_type: fc.constantFrom('text/plain' as const, 'text/html' as const),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map((flows) => flows.map(({ receiver, ...fields }, index) => flowOf(`f${index}`, { ...fields, ...receiver })))
const anyRequest = fc.record(
  {
    subject: fc.constantFrom('S', 'a & b', '<i>'),
    message: fc.oneof(fc.constantFrom('M', 'a & b', '<b>bold</b>', 'x &lt; y', 'two\nlines'), fc.string({ minLength: 1 })),
    message_type: fc.constantFrom('text/plain' as const, 'text/html' as const),
    target: fc.constantFrom('x@example.com', 'slack:C0AAAAAAA', 'x@example.com;C0AAAAAAA', 'x@example.com;smtp:y@example.com'),
    flow_id: fc.constantFrom('f0', 'f1'),
  },
  { requiredKeys: ['subject', 'message', 'message_type'] },
)

test('every recovered request results in the same deliveries and messages as the original', () => {
  let recovered = 0
  fc.assert(
    fc.property(anyFlows, anyRequest, (flows, request) => {
      const stored = store(flows, request)
      const found = stored && recoverRequest(stored, flows, channelOf)
      if (!stored || !found) return
      recovered += 1
      const difference = compareOutcomes(planOutcome(flows, request, channelOf), planOutcome(flows, found, channelOf))
      expect(difference).toEqual({
        before: difference.after,
        after: difference.after,
        rejection: undefined,
        hasChangedMessage: false,
        hasChangedTarget: false,
      })
    }),
    { numRuns: 2_000, seed: 1 },
  )
  expect(recovered).toBeGreaterThan(200)
})
