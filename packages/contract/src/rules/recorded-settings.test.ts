import { describe, expect, it } from 'vitest'
import { changedFields, recordedEndpoint, recordedFlow, recordedIntegration, recordedProject } from './recorded-settings.ts'

const flow = {
  id: 'flw_1',
  key: null,
  name: 'Ops',
  active: true,
  source_type: 'smtp',
  target: 'ops@example.com',
  override_target: false,
  message_template: '{{message}}',
  message_template_type: 'text/plain',
} as const

describe('changedFields', () => {
  it('returns a pointer to each changed field of a flow', () => {
    expect(changedFields(recordedFlow(flow), recordedFlow({ ...flow, key: 'ops', active: false }))).toEqual(['/key', '/active'])
  })

  it('returns nothing if the only changed field is not a setting', () => {
    expect(changedFields(recordedFlow(flow), recordedFlow({ ...flow, ...{ id: 'flw_2', health: 1 } }))).toEqual([])
    expect(changedFields(recordedProject({ key: null, name: 'a' }), recordedProject({ key: null, name: 'a' }))).toEqual([])
  })

  it('returns pointers to the settings of an integration and to the secrets that were added, set or removed', () => {
    const before = recordedIntegration({ source_type: 'smtp', settings: { host: 'a', port: 25 }, secretNames: ['password', 'token'] })
    const after = recordedIntegration({ source_type: 'smtp', settings: { port: 25, 'a/b': 1 }, secretNames: ['key', 'password'] })
    expect(changedFields(before, after, ['/secrets/password'])).toEqual([
      '/settings/host',
      '/secrets/token',
      '/settings/a~1b',
      '/secrets/key',
      '/secrets/password',
    ])
  })

  it('ignores the order of the event types and of the keys of settings', () => {
    const endpoint = { key: 'a', url: null, events: ['delivery.sent', 'delivery.failed'] as const, active: true, description: '' }
    const reordered = { ...endpoint, events: ['delivery.failed', 'delivery.sent'] as const }
    expect(changedFields(recordedEndpoint(endpoint), recordedEndpoint(reordered))).toEqual([])
    const [a, b] = [{ x: { a: 1, b: 2 } }, { x: { b: 2, a: 1 } }].map((settings) =>
      recordedIntegration({ source_type: 'smtp', settings, secretNames: [] }),
    )
    expect(changedFields(a ?? {}, b ?? {})).toEqual([])
  })

  it('records the missing key of an endpoint as null', () => {
    const endpoint = { key: null, url: null, events: ['delivery.sent'] as const, active: true, description: '' }
    expect(recordedEndpoint(endpoint)).toMatchObject({ key: null, events: ['delivery.sent'] })
  })
})
