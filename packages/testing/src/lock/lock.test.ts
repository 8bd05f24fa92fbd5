import { builtInDescriptions } from '@flowpost/domain'
import { describe, expect, it } from 'vitest'
import { createFlowpostMock, type MockOptions } from '../index.ts'

const flow = { active: true, override_target: false, message_template: '{{message}}', message_template_type: 'text/plain' }

const lock = {
  lockfile_version: 1,
  projects: {
    billing: {
      name: 'Billing',
      digest: 'digest-of-billing',
      flows: {
        alerts: { ...flow, name: 'Alerts', source_type: 'slack', override_target: true },
        'ops-mail': {
          ...flow,
          name: 'Operations',
          source_type: 'smtp',
          message_template: ['<b>', '{{message}}</b>'],
          message_template_type: 'text/html',
        },
        paused: { ...flow, name: 'paused', source_type: 'webhook', active: false },
      },
      integrations: { slack: { settings: {} }, smtp: { settings: { host: 'mail.example.com', from: 'billing@example.com' } } },
    },
    shop: {
      name: 'Shop',
      digest: 'digest-of-shop',
      flows: { orders: { ...flow, name: 'orders', source_type: 'smtp', target: 'orders@shop.example.com' } },
      integrations: {},
    },
  },
}

const text = { subject: 'Invoice 42', message: 'It is ready.' }

/** Creates a mock from any JSON. */
const createFrom = (json: unknown, options: MockOptions = {}) => createFlowpostMock({ ...options, lock: json as typeof lock })

describe('a mock with a lock file', () => {
  it('renders the templates of all projects for sends by key', async () => {
    const mock = createFlowpostMock({ lock })
    const { notifications } = mock.client()
    await notifications.send({ project: 'billing', ...text })
    await notifications.send({ project: 'shop', flow: 'orders', ...text })
    expect(mock.outbox.map(({ source_type, target, html, text }) => [source_type, target, html ?? text])).toEqual([
      ['slack', 'C0ALERTS00', 'It is ready.'],
      ['smtp', 'ops-mail@example.com', '<b>\nIt is ready.</b>'],
      ['smtp', 'orders@shop.example.com', 'It is ready.'],
    ])
  })

  it.each([
    ['2fa', 'flow-2fa'],
    ['2'.repeat(64), `flow-${'2'.repeat(58)}`],
    ['a'.repeat(64), 'a'.repeat(63)],
  ])('generates the name of a URL for a flow with the key %s', async (key, target) => {
    for (const source_type of ['discord', 'teams', 'webhook']) {
      const shop = { ...lock.projects.shop, flows: { [key]: { ...flow, name: 'orders', source_type } } }
      const mock = createFrom({ lockfile_version: 1, projects: { shop } })
      await mock.client().notifications.send({ project: 'shop', ...text })
      expect(mock.outbox).toMatchObject([{ source_type, target }])
    }
  })

  it('applies the rules of the flows', async () => {
    const { notifications } = createFlowpostMock({ lock }).client()
    await expect(notifications.send({ project: 'billing', flow: 'paused', ...text })).rejects.toMatchObject({ code: 'flow_inactive' })
    await expect(notifications.send({ project: 'billing', flow: 'ops-mail', ...text, target: 'x@example.com' })).rejects.toMatchObject({
      code: 'override_not_allowed',
    })
    await expect(notifications.send({ project: 'billing', flow: 'orders', ...text })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('has credentials for its integrations only', async () => {
    const { notifications } = createFlowpostMock({ lock, credentials: [] }).client()
    await expect(notifications.send({ project: 'billing', flow: 'ops-mail', ...text })).resolves.toMatchObject({ status: 'queued' })
    await expect(notifications.send({ project: 'shop', ...text })).rejects.toMatchObject({ code: 'integration_missing' })
  })

  it('has the digests from the file until the settings change', async () => {
    const mock = createFlowpostMock({ lock })
    const drifts: string[] = []
    const flowpost = mock.client({ lock: structuredClone(lock), onDrift: ({ project }) => drifts.push(project) })
    const [billing] = (await flowpost.projects.list()).data
    expect(await flowpost.settings.export(billing?.id ?? '')).toMatchObject({ digest: 'digest-of-billing' })
    await flowpost.notifications.send({ project: 'billing', ...text })
    expect(drifts).toEqual([])
    const orders = mock.seed.flow({ project: billing, key: 'new' })
    await flowpost.notifications.send({ project: 'billing', ...text })
    expect(drifts).toEqual(['billing'])
    await flowpost.flows.delete(orders.project_id, orders.id)
    expect(await flowpost.settings.export(billing?.id ?? '')).toMatchObject({ digest: 'digest-of-billing' })
  })

  it('reports a change to settings that are too large to be exported', async () => {
    const mock = createFlowpostMock({ lock })
    const drifts: string[] = []
    const flowpost = mock.client({ lock: structuredClone(lock), onDrift: ({ project }) => drifts.push(project) })
    const [billing] = (await flowpost.projects.list()).data
    const flow = { project: billing, message_template: '\u{1f600}'.repeat(50_000), active: false }
    for (let count = 0; count < 22; count += 1) mock.seed.flow({ ...flow, key: `large-${count}` })
    await expect(flowpost.settings.export(billing?.id ?? '')).rejects.toMatchObject({ code: 'settings_too_large' })
    await flowpost.notifications.send({ project: 'billing', ...text })
    expect(drifts).toEqual(['billing'])
  })

  it('has the settings from the file again after a reset', async () => {
    const mock = createFlowpostMock({ lock, now: '2026-11-23T00:00:00Z' })
    const before = await mock.client().projects.list()
    mock.seed.project({ name: 'other' })
    mock.reset()
    expect(await mock.client().projects.list()).toEqual(before)
    await mock.client().notifications.send({ project: 'shop', ...text })
    expect(mock.outbox).toHaveLength(1)
  })
})

describe('an unusable lock file', () => {
  it('with a newer version asks for an update', () => {
    expect(() => createFrom({ lockfile_version: 2, projects: [] })).toThrow(
      'The lock file has version 2, but this version of @flowpost/testing supports only version 1. Update @flowpost/testing.',
    )
  })

  it.each([
    ['an empty object', {}, '/lockfile_version: '],
    ['null', null, 'The lock file is invalid. /: '],
    [
      'a flow without a provider',
      { lockfile_version: 1, projects: { a: { name: 'A', digest: 'd', flows: { b: { name: 'b' } }, integrations: {} } } },
      '/projects/a/flows/b/active: ',
    ],
  ])('that is %s is rejected with the location of the issue', (_, json, issue) => {
    expect(() => createFrom(json)).toThrow(issue)
    expect(() => createFrom(json)).toThrow('Write it again with `flowpost types`.')
  })

  const withFlow = (fields: object) => ({
    lockfile_version: 1,
    projects: { shop: { ...lock.projects.shop, flows: { orders: { ...lock.projects.shop.flows.orders, ...fields } } } },
  })

  it('with a flow that the server would reject names the project and the field', () => {
    expect(() => createFrom(withFlow({ target: 'nobody' }))).toThrow(
      /The project shop in the lock file cannot be created: flows\.create would be rejected: \/target: /,
    )
  })

  it('with an unknown provider names the option', () => {
    expect(() => createFrom(withFlow({ source_type: 'pager' }))).toThrow(
      'does not support the provider pager. Add it to the `providers` option.',
    )
  })

  it('without targets asks for them if the mock cannot make up a valid target', () => {
    const [builtIn = expect.fail()] = builtInDescriptions
    const parseTarget = (address: string) =>
      address.startsWith('+') ? { ok: true as const, target: address, key: address } : { ok: false as const, message: 'Use a number.' }
    const options = { providers: [{ ...builtIn, id: 'pager', kind: 'chat' as const, parseTarget }] }
    expect(() => createFrom(withFlow({ source_type: 'pager', target: undefined }), options)).toThrow('flowpost types --with-targets')
    expect(() => createFrom(withFlow({ source_type: 'pager', target: '+49 30 123456' }), options)).not.toThrow()
  })
})
