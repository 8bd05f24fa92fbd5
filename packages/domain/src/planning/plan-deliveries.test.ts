import { describe, expect, test } from 'vitest'
import { createCountingChannel } from '../../test/counting-channel.ts'
import type { Channel } from '../channels/channel.ts'
import { type PlanRequest, planDeliveries } from './plan-deliveries.ts'
import { flatPlan, type NamedFlow, testChannels } from './test-flat-plan.ts'

const channels = new Map<string, Channel>(testChannels.map((channel) => [channel.id, channel]))
const channelOf = (sourceType: string) => channels.get(sourceType)
const plan = (request: Omit<PlanRequest<NamedFlow>, 'channelOf' | 'idOf'>) =>
  flatPlan(planDeliveries({ ...request, idOf: ({ id }) => id, channelOf }))

const flow = (id: string, changes: Partial<NamedFlow> = {}): NamedFlow => ({
  id,
  active: true,
  source_type: 'smtp',
  target: `${id}@example.com`,
  override_target: true,
  ...changes,
})
const chatFlow = (id: string, changes: Partial<NamedFlow> = {}) => flow(id, { source_type: 'slack', target: 'C00000000', ...changes })
const delivery = (flowId: string, sourceType: string, target: string) => ({ flowId, sourceType, target })

describe('without an override', () => {
  test('each active flow delivers to its default target, in the order of the flows', () => {
    expect(plan({ flows: [flow('b'), flow('off', { active: false }), chatFlow('a', { override_target: false })] })).toEqual({
      ok: true,
      deliveries: [delivery('b', 'smtp', 'b@example.com'), delivery('a', 'slack', 'C00000000')],
      skipped: [{ flowId: 'off', reason: 'inactive' }],
    })
  })

  test('two flows with the same target both deliver', () => {
    const same = { target: 'x@example.com' }
    expect(plan({ flows: [flow('a', same), flow('b', same)] })).toMatchObject({ ok: true, deliveries: { length: 2 } })
  })

  test('rejects a project without active flows', () => {
    const rejection = { ok: false, code: 'no_active_flows', detail: 'The project has no active flows.', errors: [] }
    expect(plan({ flows: [] })).toEqual(rejection)
    expect(plan({ flows: [flow('a', { active: false })] })).toEqual(rejection)
  })

  test('rejects a named flow that is not active', () => {
    expect(plan({ flows: [flow('a', { active: false })], named: true })).toMatchObject({ ok: false, code: 'flow_inactive', errors: [] })
  })

  test('rejects a notification if a provider of active flows is not registered, and names the flows', () => {
    expect(plan({ flows: [flow('a'), flow('b', { source_type: 'telegram' }), flow('c', { source_type: 'telegram' })] })).toEqual({
      ok: false,
      code: 'integration_missing',
      detail: 'No provider is registered for "telegram". Affected active flows: b, c.',
      errors: [],
    })
  })

  test('skips an inactive flow whose provider is not registered', () => {
    expect(plan({ flows: [flow('a'), flow('b', { source_type: 'telegram', active: false })] }).ok).toBe(true)
  })

  test('rejects a default target that its provider no longer accepts', () => {
    expect(plan({ flows: [flow('a'), flow('b', { target: 'b@localhost' })] })).toMatchObject({
      ok: false,
      code: 'target_unroutable',
      detail: 'The target of flow b is no longer valid. The domain must be fully qualified, such as example.com.',
      errors: [{ pointer: '/target', code: 'target_unroutable' }],
    })
  })

  test('allows 1,000 deliveries, but no more', () => {
    const flows = Array.from({ length: 1_001 }, (_, index) => flow(`f${index}`))
    expect(plan({ flows: flows.slice(1) })).toMatchObject({ ok: true, deliveries: { length: 1_000 } })
    expect(plan({ flows })).toEqual({
      ok: false,
      code: 'too_many_deliveries',
      detail: 'The notification would create 1001 deliveries; at most 1000 are allowed.',
      errors: [],
    })
  })
})

test('without an override, rejects more than 1,000 active flows without parsing their targets', () => {
  const flows = Array.from({ length: 1_001 }, (_, index) => flow(`f${index}`, { target: 'invalid' }))
  const { channel, parseCount } = createCountingChannel()
  expect(planDeliveries({ flows, idOf: ({ id }) => id, channelOf: () => channel })).toMatchObject({ code: 'too_many_deliveries' })
  expect(parseCount()).toBe(0)
})

describe('with an override', () => {
  test('an entry matches the flows of the provider that it names, or of every provider that accepts it; other flows are skipped', () => {
    const flows = [flow('mail'), chatFlow('chat'), flow('gun', { source_type: 'mailgun' }), flow('off', { active: false })]
    expect(plan({ flows, override: 'mailgun:x@example.com; y@example.com' })).toEqual({
      ok: true,
      deliveries: [
        delivery('mail', 'smtp', 'y@example.com'),
        delivery('gun', 'mailgun', 'x@example.com'),
        delivery('gun', 'mailgun', 'y@example.com'),
      ],
      skipped: [
        { flowId: 'chat', reason: 'not_targeted' },
        { flowId: 'off', reason: 'inactive' },
      ],
    })
  })

  test('the cost of matching does not depend on the number of flows times the number of entries', () => {
    let readCount = 0
    const counted = (template: NamedFlow): NamedFlow =>
      Object.defineProperty({ ...template }, 'source_type', {
        get: () => {
          readCount += 1
          return template.source_type
        },
      })
    const flows = Array.from({ length: 1_000 }, (_, index) => counted(flow(`f${index}`)))
    const override = Array.from({ length: 100 }, (_, index) => `x${index}@example.com`).join(';')
    expect(plan({ flows, override })).toMatchObject({ code: 'too_many_deliveries', detail: expect.stringContaining(' 100000 ') })
    expect(readCount).toBeLessThan(10 * flows.length)
  })

  test('removes duplicates within a flow, regardless of the case of email domains, and uses the first of each', () => {
    expect(plan({ flows: [flow('a'), flow('b')], override: 'x@EXAMPLE.com;smtp:x@example.com;X@example.com;x@Example.com' })).toMatchObject(
      {
        ok: true,
        deliveries: [
          delivery('a', 'smtp', 'x@EXAMPLE.com'),
          delivery('a', 'smtp', 'X@example.com'),
          delivery('b', 'smtp', 'x@EXAMPLE.com'),
          delivery('b', 'smtp', 'X@example.com'),
        ],
      },
    )
  })

  test('default targets are ignored, even if invalid', () => {
    expect(plan({ flows: [flow('a', { target: 'gone' }), chatFlow('b')], override: 'x@example.com' })).toEqual({
      ok: true,
      deliveries: [delivery('a', 'smtp', 'x@example.com')],
      skipped: [{ flowId: 'b', reason: 'not_targeted' }],
    })
  })

  test('rejects an entry that matches a flow that allows no overrides, and ignores such flows if no entry matches them', () => {
    const flows = [flow('a', { override_target: false }), chatFlow('b')]
    expect(plan({ flows, override: 'C11111111' })).toMatchObject({ ok: true, deliveries: [{ flowId: 'b' }] })
    expect(plan({ flows, override: 'C11111111;x@example.com' })).toEqual({
      ok: false,
      code: 'override_not_allowed',
      detail:
        'Entry 2 of the target matches flows whose override_target is false: a. Such flows send only to their own target. Set flow_id to a flow whose override_target is true.',
      errors: [
        {
          pointer: '/target',
          code: 'override_not_allowed',
          message:
            'Entry 2 of the target matches flows whose override_target is false: a. Such flows send only to their own target. Set flow_id to a flow whose override_target is true.',
        },
      ],
    })
  })

  test('ignores an inactive flow that allows no overrides', () => {
    expect(plan({ flows: [flow('a'), flow('b', { active: false, override_target: false })], override: 'x@example.com' }).ok).toBe(true)
  })

  test('an error message lists five flows and counts the others', () => {
    const flows = Array.from({ length: 7 }, (_, index) => flow(`f${index}`, { override_target: false }))
    expect(plan({ flows, override: 'x@example.com' })).toMatchObject({
      detail: expect.stringContaining(': f0, f1, f2, f3, f4 and 2 more.'),
    })
  })

  test('rejects an entry that matches no active flow, with the reason', () => {
    const flows = [flow('a'), chatFlow('off', { active: false })]
    const messages = (override: string) => {
      const planned = plan({ flows, override })
      return planned.ok ? [] : [planned.code, ...planned.errors.map((error) => error.message)]
    }
    expect(messages('slack:C11111111;x@example.com')).toEqual([
      'target_unroutable',
      'Entry 1 of the target matches no active flow: none uses the provider "slack".',
    ])
    expect(messages('x@localhost')).toEqual([
      'target_unroutable',
      'Entry 1 of the target matches no active flow. smtp: The domain must be fully qualified, such as example.com.',
    ])
    expect(messages('telgram:123')[1]).toMatch(
      /^Entry 1 of the target matches no active flow\. No provider "telgram" is registered\. smtp: /,
    )
  })

  test('reports all unroutable entries together', () => {
    const flows = [flow('a', { override_target: false })]
    expect(plan({ flows, override: 'C11111111;x@example.com;slack:C22222222' })).toMatchObject({
      ok: false,
      code: 'override_not_allowed',
      detail: 'There are 3 target errors.',
      errors: [{ code: 'target_unroutable' }, { code: 'override_not_allowed' }, { code: 'target_unroutable' }],
    })
  })

  test('reports all malformed entries together, before anything else', () => {
    expect(plan({ flows: [], override: 'smtp:nobody;;slack:#general;x@example.com' })).toMatchObject({
      ok: false,
      code: 'validation_failed',
      detail: 'There are 3 target errors.',
      errors: [
        { pointer: '/target', code: 'invalid_target', message: expect.stringMatching(/^Entry 2 .* is empty/) },
        {
          pointer: '/target',
          code: 'invalid_target',
          message: expect.stringMatching(/^Entry 1 of the target: An email address must contain an "@"/),
        },
        {
          pointer: '/target',
          code: 'invalid_target',
          message: expect.stringMatching(/^Entry 3 of the target: This is a channel name/),
        },
      ],
    })
  })

  test('rejects an empty override', () => {
    expect(plan({ flows: [flow('a')], override: '' })).toMatchObject({ ok: false, code: 'validation_failed' })
  })

  test('no entry matches a flow whose provider is not registered', () => {
    const gone = flow('gone', { source_type: 'telegram' })
    expect(plan({ flows: [flow('a'), gone], override: 'x@example.com' })).toMatchObject({
      ok: true,
      skipped: [{ flowId: 'gone', reason: 'not_targeted' }],
    })
    expect(plan({ flows: [gone], named: true, override: 'x@example.com' })).toMatchObject({ ok: false, code: 'integration_missing' })
  })

  test('rejects more than 1,000 deliveries', () => {
    const flows = Array.from({ length: 11 }, (_, index) => flow(`f${index}`))
    const override = Array.from({ length: 91 }, (_, index) => `x${index}@example.com`).join(';')
    expect(plan({ flows, override })).toMatchObject({ ok: false, code: 'too_many_deliveries' })
    expect(plan({ flows: flows.slice(1), override })).toMatchObject({ ok: true, deliveries: { length: 910 } })
  })
})
