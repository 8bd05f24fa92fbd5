import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Failure } from './failure.ts'
import {
  type DeliveryOutcome,
  type FlowHealth,
  failuresToUnhealthy,
  unknownHealth,
  updateHealthAfterCheck,
  updateHealthAfterDelivery,
} from './flow-health.ts'

const [early, late] = [new Date('2026-11-21T09:00:00Z'), new Date('2026-11-21T10:00:00Z')]
const failure = (kind: Failure['kind'], code = 'x'): Failure => ({ kind, code, detail: `detail of ${code}`, retryable: false })
const own = (kind?: Failure['kind'], code?: string): DeliveryOutcome => ({
  toFlowTarget: true,
  ...(kind ? { failure: failure(kind, code) } : {}),
})
const given = (kind?: Failure['kind']): DeliveryOutcome => ({ toFlowTarget: false, ...(kind ? { failure: failure(kind) } : {}) })
const conditionAfter = (outcomes: readonly DeliveryOutcome[], before: FlowHealth = unknownHealth, now = early) =>
  outcomes.reduce((condition, outcome) => updateHealthAfterDelivery(condition, outcome, now), before)
const times = (count: number, outcome: DeliveryOutcome) => Array<DeliveryOutcome>(count).fill(outcome)

describe('the health of a flow', () => {
  it('is healthy after the first sent message', () => {
    expect(conditionAfter([own()])).toEqual({ ...unknownHealth, status: 'healthy', since: early })
    expect(conditionAfter([given()])).toMatchObject({ status: 'healthy' })
  })

  it.each(['target', 'credential'] as const)(
    'is unhealthy after ten consecutive failures of its %s, with the code of the last failure',
    (kind) => {
      expect(conditionAfter(times(9, own(kind)))).toMatchObject({ status: 'unknown', code: null, failuresInRow: 9 })
      expect(conditionAfter([...times(9, own(kind)), own(kind, 'last')])).toMatchObject({
        status: 'unhealthy',
        code: 'last',
        detail: 'detail of last',
      })
    },
  )

  it('counts target and credential failures together', () => {
    expect(conditionAfter([...times(5, own('target')), ...times(5, own('credential'))]).status).toBe('unhealthy')
  })

  it('keeps the time of the status change and the code of the latest failure', () => {
    const bad = conditionAfter(times(10, own('credential')))
    expect(conditionAfter([own('credential', 'newer')], bad, late)).toMatchObject({ since: early, code: 'newer' })
    expect(conditionAfter([own()], bad, late)).toEqual({ ...unknownHealth, status: 'healthy', since: late })
  })

  it("stays unhealthy after a message to an override if the flow's own target fails, but not if its credential fails", () => {
    expect(conditionAfter([given()], conditionAfter(times(10, own('target')))).status).toBe('unhealthy')
    expect(conditionAfter([given()], conditionAfter(times(10, own('credential')))).status).toBe('healthy')
  })

  it('has the code of the first failed step in a check', () => {
    const good = { ok: true, code: 'ok', detail: '' }
    expect(
      updateHealthAfterCheck(unknownHealth, [good, { ok: false, code: 'a', detail: 'b' }, { ok: false, code: 'c', detail: 'd' }], early),
    ).toEqual({
      ...unknownHealth,
      status: 'unhealthy',
      code: 'a',
      detail: 'b',
      since: early,
    })
    expect(updateHealthAfterCheck(conditionAfter(times(10, own('target'))), [good], late)).toEqual({
      ...unknownHealth,
      status: 'healthy',
      since: late,
    })
  })

  it('ignores failures that say nothing about the flow, and counts the others up to the limit', () => {
    const kind = fc.constantFrom<Failure['kind'] | undefined>('target', 'credential', 'content', 'rate', 'provider', 'ambiguous', undefined)
    const outcome = fc.record({ toFlowTarget: fc.boolean(), kind }).map((each) => (each.toFlowTarget ? own(each.kind) : given(each.kind)))
    const isTelling = ({ toFlowTarget, failure: why }: DeliveryOutcome) =>
      !why || why.kind === 'credential' || (why.kind === 'target' && toFlowTarget)
    fc.assert(
      fc.property(fc.array(outcome, { maxLength: 60 }), (outcomes) => {
        const condition = conditionAfter(outcomes)
        expect(condition).toEqual(conditionAfter(outcomes.filter(isTelling)))
        expect(condition.failuresInRow).toBeLessThanOrEqual(failuresToUnhealthy)
        expect(condition.code === null).toBe(condition.status !== 'unhealthy')
        if (condition.failuresInRow === failuresToUnhealthy) expect(condition.status).toBe('unhealthy')
      }),
    )
  })
})
