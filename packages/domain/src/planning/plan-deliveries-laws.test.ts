import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Channel } from '../channels/channel.ts'
import { type PlanRequest, planDeliveries } from './plan-deliveries.ts'
import { parseTargetList } from './target-list.ts'
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

describe('for any flows and override', () => {
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
