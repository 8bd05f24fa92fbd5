import { describe, expect, it } from 'vitest'
import { eraseFromResponse } from './erase-response.ts'
import { createAddressRedactor } from './redact-address.ts'

const address = 'bob@example.com'
const recipient = {
  isErased: ({ target, source_type }: { readonly target: string; readonly source_type: string }) =>
    target === address && source_type === 'smtp',
  isOfOtherProvider: ({ target, source_type }: { readonly target: string; readonly source_type: string }) =>
    target === address && source_type !== 'smtp',
  replacement: 'erased:1',
  redactor: createAddressRedactor(address, 'erased:1'),
}
const text = '550 Bob has moved'
const delivery = (target: string) => ({
  id: 'dlv_1',
  source_type: 'smtp',
  target,
  attempt_count: 1,
  provider_message_id: '<1@example.com>',
  failure: { kind: 'target', code: '5.1.1', detail: text, retryable: false },
  receipt: { status: 'bounced', at: '2026-11-21T09:30:00.000Z', code: '5.1.1', detail: text },
  attempts: [{ number: 1, outcome: 'failed', provider_response: text }],
})
const erased = {
  ...delivery('erased:1'),
  provider_message_id: null,
  failure: null,
  receipt: { status: 'bounced', at: '2026-11-21T09:30:00.000Z', code: '5.1.1', detail: null },
  attempts: [{ number: 1, outcome: 'failed', provider_response: null }],
}

describe('a stored response without an erased recipient', () => {
  it("has no texts in the recipient's deliveries, also within a notification", () => {
    expect(eraseFromResponse(delivery(address), recipient)).toEqual(erased)
    const notification = { id: 'ntf_1', subject: 'Hello', deliveries: [delivery(address), delivery('eve@example.com')] }
    expect(eraseFromResponse(notification, recipient)).toEqual({ ...notification, deliveries: [erased, delivery('eve@example.com')] })
  })

  it('has no receipt code that may be a text', () => {
    const receipt = { ...erased.receipt, code: 'Bob has moved' }
    expect(eraseFromResponse({ ...delivery(address), receipt }, recipient)).toMatchObject({ receipt: { code: null } })
  })

  it('has no fields that the stored response did not have', () => {
    const { attempts: _, ...listed } = delivery(address)
    const { attempts: __, ...expected } = erased
    expect(eraseFromResponse({ ...listed, receipt: null }, recipient)).toEqual({ ...expected, receipt: null })
  })

  it('has no subject if all deliveries of its notification went to the recipient', () => {
    const notification = { subject: 'Hello', deliveries: [delivery(address)] }
    expect(eraseFromResponse(notification, recipient)).toEqual({ subject: null, deliveries: [erased] })
  })

  it('has the targets of providers that the erasure does not cover, and no other mention of the address', () => {
    const other = { ...delivery(address), source_type: 'mailgun', failure: { detail: `No user ${address}` } }
    const notification = { subject: `Hello ${address}`, deliveries: [delivery(address), other] }
    const expected = { subject: 'Hello erased:1', deliveries: [erased, { ...other, failure: { detail: 'No user erased:1' } }] }
    expect(eraseFromResponse(notification, recipient)).toEqual(expected)
    const settings = [{ reason: 'manual', source_type: 'mailgun', target: address }]
    expect(eraseFromResponse(settings, recipient)).toEqual(settings)
  })

  it('has unchanged notifications and deliveries if they are later than the erasure', () => {
    const late = { ...recipient, isLater: (id: string) => id.endsWith('2') }
    const mentioning = { subject: `Hello ${address}`, reference: address, deliveries: [{ ...delivery(address), id: 'dlv_2' }] }
    const ofEvent = { ...delivery(address), id: 'dlv_2', reference: address }
    for (const later of [
      { id: 'ntf_2', ...mentioning },
      { ...ofEvent, notification_id: 'ntf_2' },
      { ...delivery(address), id: 'dlv_2' },
    ])
      expect(eraseFromResponse([later], late)).toEqual([later])
    const earlier = { subject: null, reference: 'erased:1', deliveries: [{ ...erased, id: 'dlv_2' }] }
    expect(eraseFromResponse({ id: 'ntf_1', ...mentioning }, late)).toEqual({ id: 'ntf_1', ...earlier })
    const event = { ...erased, id: 'dlv_2', reference: 'erased:1', notification_id: 'ntf_1' }
    expect(eraseFromResponse({ ...ofEvent, notification_id: 'ntf_1' }, late)).toEqual(event)
  })

  it('has no property name with the address, also next to a delivery', () => {
    const notification = { metadata: { [address]: 'a' }, deliveries: [delivery('eve@example.com')] }
    expect(eraseFromResponse(notification, recipient)).toEqual({ ...notification, metadata: { 'erased-1': 'a' } })
  })

  it('contains the settings of a flow, with the address replaced in texts', () => {
    const flow = { source_type: 'smtp', target: address, message_template: `Ask ${address}` }
    expect(eraseFromResponse(flow, recipient)).toEqual({ ...flow, target: 'erased:1', message_template: 'Ask erased:1' })
  })

  it('contains no target of a flow or suppression that is a common word', () => {
    const named = {
      isErased: ({ target }: { target: string }) => target === 'ops',
      isOfOtherProvider: () => false,
      replacement: 'erased:1',
      redactor: createAddressRedactor('ops', 'erased:1'),
    }
    const settings = [
      { name: 'ops', source_type: 'discord', target: 'ops' },
      { reason: 'manual', source_type: 'discord', target: 'ops' },
      { name: 'ops', source_type: 'discord', target: 'eve' },
    ]
    const [flow, suppression, other] = settings
    const targets = { target: 'erased:1' }
    expect(eraseFromResponse({ data: settings }, named)).toEqual({ data: [{ ...flow, ...targets }, { ...suppression, ...targets }, other] })
  })
})
