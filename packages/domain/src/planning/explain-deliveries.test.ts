import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { Channel } from '../channels/channel.ts'
import { explainDeliveries, type FlowStates, type RequestAddress, type StoredTarget } from './explain-deliveries.ts'
import { planDeliveries } from './plan-deliveries.ts'
import { flatPlan, type NamedFlow, testChannels } from './test-flat-plan.ts'

const channels = new Map<string, Channel>(testChannels.map((channel) => [channel.id, channel]))
const channelOf = (sourceType: string) => channels.get(sourceType)

const mail = (id: string, fields: Partial<NamedFlow> = {}): NamedFlow => ({
  id,
  active: true,
  source_type: 'smtp',
  target: `${id}@example.com`,
  override_target: true,
  ...fields,
})
const to = (flowId: string, target = `${flowId}@example.com`, sourceType = 'smtp'): StoredTarget => ({ flowId, sourceType, target })
const always = (...flows: NamedFlow[]): FlowStates<NamedFlow>[] => flows.map((flow) => ({ flowId: flow.id, states: [flow] }))
const explain = (address: RequestAddress, deliveries: readonly StoredTarget[], flows: readonly FlowStates<NamedFlow>[]) =>
  explainDeliveries({ address, deliveries, flows, channelOf })?.map(({ flowId, outcome, reason }) => `${flowId} ${reason ?? outcome}`)

describe('explainDeliveries', () => {
  it('skips inactive flows, and all other flows if the request names a flow', () => {
    const flows = always(mail('a'), mail('b', { active: false }))
    expect(explain({ hasTarget: false }, [to('a')], flows)).toEqual(['a triggered', 'b inactive'])
    expect(explain({ flowId: 'a', hasTarget: false }, [to('a')], flows)).toEqual(['a triggered', 'b not_named'])
  })

  it('skips the flows of other providers if the request has a target', () => {
    const slack = mail('b', { source_type: 'slack', target: 'C00000000' })
    expect(explain({ hasTarget: true }, [to('a', 'x@example.com')], always(mail('a'), slack))).toEqual(['a triggered', 'b not_targeted'])
  })

  it('uses the first state that agrees with the deliveries', () => {
    const states = (id: string, ...list: (NamedFlow | undefined)[]) => ({ flowId: id, states: list })
    const off = mail('b', { active: false })
    expect(explain({ hasTarget: false }, [to('a')], [...always(mail('a')), states('b', mail('b'), off)])).toEqual([
      'a triggered',
      'b inactive',
    ])
    expect(explain({ hasTarget: false }, [to('a')], [states('a', undefined, mail('a', { target: 'x@example.com' }), mail('a'))])).toEqual([
      'a triggered',
    ])
    expect(explain({ hasTarget: false }, [to('a')], [...always(mail('a')), states('b', undefined, off)])).toEqual(['a triggered'])
  })

  it('returns undefined if the states contradict the deliveries', () => {
    const slack = mail('b', { source_type: 'slack', target: 'C00000000' })
    const contradictions: [RequestAddress, StoredTarget[], NamedFlow[]][] = [
      [{ hasTarget: false }, [to('a')], []],
      [{ hasTarget: false }, [to('a')], [mail('a', { active: false })]],
      [{ hasTarget: false }, [to('a')], [mail('a', { target: 'other@example.com' })]],
      [{ hasTarget: false }, [to('a')], [mail('a', { source_type: 'mailgun' })]],
      [{ hasTarget: false }, [to('a')], [mail('a'), mail('b')]],
      [{ hasTarget: true }, [to('a')], [mail('a', { override_target: false })]],
      [{ hasTarget: true }, [to('a')], [mail('a'), mail('b')]],
      [{ flowId: 'a', hasTarget: false }, [to('b')], [mail('a'), mail('b')]],
      [{ flowId: 'b', hasTarget: true }, [to('a')], [mail('a'), slack]],
    ]
    for (const [address, deliveries, flows] of contradictions) expect(explain(address, deliveries, always(...flows))).toBeUndefined()
  })

  it('explains erased deliveries, and deliveries through providers that are no longer registered', () => {
    expect(explain({ hasTarget: false }, [to('a', 'erased:1')], always(mail('a')))).toEqual(['a triggered'])
    expect(explain({ hasTarget: false }, [to('a')], always(mail('a', { target: 'erased:1' })))).toEqual(['a triggered'])
    expect(explain({ hasTarget: true }, [to('a', 'erased:1')], always(mail('a')))).toEqual(['a triggered'])
    expect(explain({ hasTarget: true }, [to('a', 'erased:1')], always(mail('a', { override_target: false })))).toBeUndefined()
    expect(explain({ hasTarget: false }, [to('a', 'x', 'gone')], always(mail('a', { source_type: 'gone' })))).toEqual(['a triggered'])
  })
})

const anyFlow = fc.record({
  active: fc.boolean(),
  source_type: fc.constantFrom('smtp', 'mailgun', 'slack', 'gone'),
  target: fc.constantFrom('default@example.com', 'C00000000', 'invalid'),
  override_target: fc.boolean(),
})
const anyTarget = fc
  .array(fc.constantFrom('a@example.com', 'a@EXAMPLE.com', 'smtp:a@example.com', 'mailgun:b@example.com', 'C11111111', 'slack:C22222222'), {
    minLength: 1,
    maxLength: 4,
  })
  .map((entries) => entries.join(';'))

const anyRequest = fc.record({
  flows: fc
    .array(anyFlow, { minLength: 1, maxLength: 6 })
    .map((flows): NamedFlow[] => flows.map((fields, index) => ({ id: `f${index}`, ...fields }))),
  named: fc.option(fc.nat(5), { nil: undefined }),
  override: fc.option(anyTarget, { nil: undefined }),
})

/** Plans a request as the server does. Returns the expected explanation, or `undefined` if the request is rejected. */
const accept = ({ flows, named, override }: { flows: NamedFlow[]; named: number | undefined; override: string | undefined }) => {
  const flowId = named === undefined ? undefined : flows[named % flows.length]?.id
  const candidates = flowId === undefined ? flows : flows.filter(({ id }) => id === flowId)
  const plan = flatPlan(planDeliveries({ flows: candidates, named: flowId !== undefined, override, idOf: ({ id }) => id, channelOf }))
  if (!plan.ok) return undefined
  const skipped = new Map(plan.skipped.map((flow) => [flow.flowId, flow.reason]))
  const expected = flows.map(
    ({ id }) => `${id} ${candidates.some((flow) => flow.id === id) ? (skipped.get(id) ?? 'triggered') : 'not_named'}`,
  )
  return { address: { flowId, hasTarget: override !== undefined }, deliveries: plan.deliveries, expected }
}

describe('for any accepted request', () => {
  test('the explanation agrees with the plan', () => {
    fc.assert(
      fc.property(anyRequest, (request) => {
        const accepted = accept(request)
        fc.pre(accepted !== undefined)
        expect(explain(accepted.address, accepted.deliveries, always(...request.flows))).toEqual(accepted.expected)
      }),
      { numRuns: 500 },
    )
  })

  test('additional flow states never hide an explanation or change which flows were triggered', () => {
    fc.assert(
      fc.property(anyRequest, fc.array(anyFlow, { minLength: 6, maxLength: 6 }), (request, others) => {
        const accepted = accept(request)
        fc.pre(accepted !== undefined)
        const flows = request.flows.map((flow, index) => ({ flowId: flow.id, states: [{ ...flow, ...others[index] }, undefined, flow] }))
        const explained = explain(accepted.address, accepted.deliveries, flows)
        const triggered = (list: readonly string[]) => list.filter((text) => text.endsWith('triggered'))
        expect(triggered(explained ?? [])).toEqual(triggered(accepted.expected))
      }),
      { numRuns: 500 },
    )
  })
})
