import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Channel } from '../channels/channel.ts'
import { type PlanRequest, planDeliveries } from './plan-deliveries.ts'
import { parseTargetList, type TargetEntry } from './target-list.ts'
import { flatPlan, type NamedFlow, testChannels } from './test-flat-plan.ts'

const channels = new Map<string, Channel>(testChannels.map((channel) => [channel.id, channel]))
const channelOf = (sourceType: string) => channels.get(sourceType)
const plan = (request: Omit<PlanRequest<NamedFlow>, 'channelOf' | 'idOf'>) =>
  flatPlan(planDeliveries({ ...request, idOf: ({ id }) => id, channelOf }))

const anyFlows = fc
  .array(
    fc.record({
      active: fc.boolean(),
      source_type: fc.constantFrom('smtp', 'mailgun', 'slack', 'gone'),
      target: fc.constantFrom('default@example.com', 'C00000000', 'invalid'),
      override_target: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
    }),
    { maxLength: 8 },
  )
  .map((flows): NamedFlow[] => flows.map((fields, index) => ({ id: `f${index}`, ...fields })))
const entry = fc.constantFrom(
  'a@example.com',
  'a@EXAMPLE.com',
  'smtp:a@example.com',
  'mailgun:b@example.com',
  ' C11111111 ',
  'slack:C11111111',
  'slack:a',
  'x',
)
const anyOverride = fc.array(entry, { minLength: 1, maxLength: 4 }).map((entries) => entries.join(';'))
const keyOf = (sourceType: string, target: string): string => {
  const result = channelOf(sourceType)?.parseTarget(target)
  if (!result?.ok) throw new Error(`${sourceType} does not accept ${target}`)
  return `${sourceType} ${result.key}`
}

/** Plans the deliveries for an override by matching each entry with each flow, and returns the entries' errors. */
const planEachFlow = (flows: readonly NamedFlow[], override: string) => {
  const { entries } = parseTargetList(override, (id) => channels.has(id))
  const active = flows.filter((flow) => flow.active)
  const resultOf = ({ sourceType, address }: TargetEntry, flow: NamedFlow) =>
    sourceType === undefined || sourceType === flow.source_type ? channelOf(flow.source_type)?.parseTarget(address) : undefined
  const errors = entries.flatMap((entry) => {
    const matching = active.filter((flow) => resultOf(entry, flow)?.ok)
    const locked = matching.filter((flow) => !flow.override_target).map(({ id }) => id)
    if (matching.length === 0) return ['target_unroutable']
    if (locked.length === 0) return []
    return [`override_not_allowed ${locked.slice(0, 5).join(', ')}${locked.length > 5 ? ` and ${locked.length - 5} more` : ''}.`]
  })
  const deliveries = active.flatMap((flow) => {
    const results = entries.map((entry) => resultOf(entry, flow)).filter((result) => result?.ok === true)
    const first = results.filter(({ key }, index) => results.findIndex((other) => other.key === key) === index)
    return first.map(({ target }) => ({ flowId: flow.id, sourceType: flow.source_type, target }))
  })
  return { errors, deliveries }
}

describe('for any flows and override', () => {
  test('the plan is the same as if each entry were matched with each flow', () => {
    const anyCount = fc.integer({ min: 1, max: 400 })
    fc.assert(
      fc.property(anyFlows, anyCount, anyOverride, (someFlows, count, override) => {
        const copies = Array.from({ length: count }, (_, copy) => someFlows.map((flow) => ({ ...flow, id: `${copy}-${flow.id}` })))
        const flows = copies.flat()
        const planned = plan({ flows, override })
        fc.pre(planned.ok || ['override_not_allowed', 'target_unroutable', 'too_many_deliveries'].includes(planned.code))
        const { errors, deliveries } = planEachFlow(flows, override)
        if (planned.ok) expect([planned.deliveries, errors]).toEqual([deliveries, []])
        else if (planned.code === 'too_many_deliveries')
          expect(planned.detail).toBe(`The notification would create ${deliveries.length} deliveries; at most 1000 are allowed.`)
        else
          expect(
            planned.errors.map(({ code, message }) =>
              code === 'target_unroutable' ? code : `${code} ${/is false: (.*?\.) Such flows/.exec(message)?.[1]}`,
            ),
          ).toEqual(errors)
      }),
      { numRuns: 200 },
    )
  })

  test('each flow delivers only to targets in the override, and at most once to each', () => {
    fc.assert(
      fc.property(anyFlows, anyOverride, (flows, override) => {
        const planned = plan({ flows, override })
        fc.pre(planned.ok)
        const { entries } = parseTargetList(override, (id) => channels.has(id))
        const allowed = new Set(
          entries.flatMap(({ sourceType, address }) =>
            (sourceType === undefined ? [...channels.keys()] : [sourceType])
              .filter((id) => channelOf(id)?.parseTarget(address).ok)
              .map((id) => keyOf(id, address)),
          ),
        )
        for (const { sourceType, target } of planned.deliveries) expect(allowed).toContain(keyOf(sourceType, target))
        const keys = planned.deliveries.map(({ flowId, sourceType, target }) => `${flowId} ${keyOf(sourceType, target)}`)
        expect(new Set(keys).size).toBe(keys.length)
        // Every entry leads to a delivery; none is silently ignored.
        const served = new Set(planned.deliveries.map(({ sourceType, target }) => keyOf(sourceType, target).split(' ', 2)[1]))
        for (const { sourceType, address } of entries) {
          const keysOfEntry = [...channels.values()].filter(({ id }) => sourceType === undefined || id === sourceType)
          expect(
            keysOfEntry.some(({ parseTarget }) => {
              const read = parseTarget(address)
              return read.ok && served.has(read.key)
            }),
          ).toBe(true)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('the plan contains every flow in order, routed or skipped with a reason, unless it rejects the notification', () => {
    fc.assert(
      fc.property(anyFlows, fc.option(anyOverride, { nil: undefined }), (flows, override) => {
        const planned = plan({ flows, override })
        if (!planned.ok) {
          expect(planned.detail).not.toBe('')
          const isFaultOfTarget = ['validation_failed', 'override_not_allowed', 'target_unroutable'].includes(planned.code)
          expect(planned.errors.length > 0).toBe(isFaultOfTarget)
          return
        }
        const delivered = [...new Set(planned.deliveries.map(({ flowId }) => flowId))]
        const skipped = planned.skipped.map(({ flowId }) => flowId)
        expect(delivered.length).toBeGreaterThan(0)
        expect([...delivered, ...skipped].sort()).toEqual(flows.map(({ id }) => id).sort())
        expect(delivered).toEqual(delivered.toSorted())
        for (const { id, active, override_target } of flows) {
          if (!active) expect(planned.skipped).toContainEqual({ flowId: id, reason: 'inactive' })
          else if (delivered.includes(id)) expect(override === undefined || override_target).toBe(true)
          else {
            expect(planned.skipped).toContainEqual({ flowId: id, reason: 'not_targeted' })
            expect(override).toBeDefined()
          }
        }
      }),
      { numRuns: 500 },
    )
  })
})
