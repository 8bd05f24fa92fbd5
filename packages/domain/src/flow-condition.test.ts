import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Failure } from './failure.ts'
import {
  afterCheck,
  afterOutcome,
  type FlowCondition,
  failuresToUnhealthy,
  type TellingOutcome,
  unknownCondition,
} from './flow-condition.ts'

const [early, late] = [new Date('2026-11-21T09:00:00Z'), new Date('2026-11-21T10:00:00Z')]
const failure = (kind: Failure['kind'], code = 'x'): Failure => ({ kind, code, detail: `detail of ${code}`, retryable: false })
const own = (kind?: Failure['kind'], code?: string): TellingOutcome => ({
  toOwnTarget: true,
  ...(kind ? { failure: failure(kind, code) } : {}),
})
const given = (kind?: Failure['kind']): TellingOutcome => ({ toOwnTarget: false, ...(kind ? { failure: failure(kind) } : {}) })
const conditionAfter = (outcomes: readonly TellingOutcome[], before: FlowCondition = unknownCondition, now = early) =>
  outcomes.reduce((condition, outcome) => afterOutcome(condition, outcome, now), before)
const times = (count: number, outcome: TellingOutcome) => Array<TellingOutcome>(count).fill(outcome)

describe('the condition of a flow', () => {
  it('is healthy from the first message that was sent', () => {
    expect(conditionAfter([own()])).toEqual({ ...unknownCondition, status: 'healthy', since: early })
    expect(conditionAfter([given()])).toMatchObject({ status: 'healthy' })
  })

  it.each(['target', 'credential'] as const)(
    'is unhealthy at the tenth failure in a row for its %s, for the reason of the last',
    (kind) => {
      expect(conditionAfter(times(9, own(kind)))).toMatchObject({ status: 'unknown', code: null, failuresInRow: 9 })
      expect(conditionAfter([...times(9, own(kind)), own(kind, 'last')])).toMatchObject({
        status: 'unhealthy',
        code: 'last',
        detail: 'detail of last',
      })
    },
  )

  it('counts failures for target and credential together', () => {
    expect(conditionAfter([...times(5, own('target')), ...times(5, own('credential'))]).status).toBe('unhealthy')
  })

  it('keeps the time of the change, and the newest reason', () => {
    const bad = conditionAfter(times(10, own('credential')))
    expect(conditionAfter([own('credential', 'newer')], bad, late)).toMatchObject({ since: early, code: 'newer' })
    expect(conditionAfter([own()], bad, late)).toEqual({ ...unknownCondition, status: 'healthy', since: late })
  })

  it('is not mended by a message to another target while its own fails, but by one while its credential did', () => {
    expect(conditionAfter([given()], conditionAfter(times(10, own('target')))).status).toBe('unhealthy')
    expect(conditionAfter([given()], conditionAfter(times(10, own('credential')))).status).toBe('healthy')
  })

  it('is what a check finds, for its first wrong finding', () => {
    const good = { ok: true, code: 'ok', detail: '' }
    expect(
      afterCheck(unknownCondition, [good, { ok: false, code: 'a', detail: 'b' }, { ok: false, code: 'c', detail: 'd' }], early),
    ).toEqual({
      ...unknownCondition,
      status: 'unhealthy',
      code: 'a',
      detail: 'b',
      since: early,
    })
    expect(afterCheck(conditionAfter(times(10, own('target'))), [good], late)).toEqual({
      ...unknownCondition,
      status: 'healthy',
      since: late,
    })
  })

  it('never depends on content, rate or provider, nor on targets that requests give, and counts within bounds', () => {
    const kind = fc.constantFrom<Failure['kind'] | undefined>('target', 'credential', 'content', 'rate', 'provider', 'ambiguous', undefined)
    const outcome = fc.record({ toOwnTarget: fc.boolean(), kind }).map((each) => (each.toOwnTarget ? own(each.kind) : given(each.kind)))
    const isTelling = ({ toOwnTarget, failure: why }: TellingOutcome) =>
      !why || why.kind === 'credential' || (why.kind === 'target' && toOwnTarget)
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
