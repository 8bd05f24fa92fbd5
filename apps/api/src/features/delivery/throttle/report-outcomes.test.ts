import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { newUuid } from '../../../shared/ids.ts'
import type { Outcome } from '../attempts/send.ts'
import type { DelayedJob, Job } from '../queue/job.ts'
import { createCircuitBreakers } from './circuit-breaker.ts'
import { createOutcomeReporter } from './report-outcomes.ts'
import type { Throttled } from './throttle.ts'

const sent: Outcome = { status: 'sent', providerMessageId: null, response: '250 OK', kind: 'email' }
const failed = (kind: 'provider' | 'target'): Outcome => ({
  status: 'failed',
  failure: { kind, code: 'rejected', detail: 'Rejected.', retryable: false },
  response: '550',
})

const newJob = (): Job => ({
  deliveryId: newUuid(),
  userId: 'alice',
  projectId: newUuid(),
  sourceType: 'smtp',
  claim: 1,
  deferrals: 0,
})

/** Starts a probe of an open breaker, with a rescheduled job that waits for the probe. */
const startProbe = async () => {
  let nowMs = 0
  const breakers = createCircuitBreakers(() => nowMs)
  for (let failures = 0; failures < 5; failures += 1) breakers.failed('credential', false)
  nowMs = 5_000
  expect(breakers.admit('credential')).toEqual({ admitted: true, isProbe: true })
  const rescheduled: DelayedJob[] = []
  const queue = { reschedule: async (jobs: readonly DelayedJob[]) => void rescheduled.push(...jobs) }
  const results = createOutcomeReporter({ queue, breakers, log: pino({ level: 'silent' }), random: () => 0 }, () => {})
  const job = newJob()
  const waitFor = () =>
    results.await({ delayed: [{ job, delayMs: 30_000 }], awaitingProbe: new Map([[job.deliveryId, 'credential']]) } as unknown as Throttled)
  return { breakers, results, rescheduled, job, waitFor }
}

describe('probe results', () => {
  it('resume waiting jobs at once when the probe succeeds', async () => {
    const { results, rescheduled, job, waitFor } = await startProbe()
    await waitFor()
    expect(rescheduled).toEqual([])
    await results.report(sent, 'credential', 'credential')
    expect(rescheduled).toEqual([{ job, delayMs: 0 }])
  })

  it('delay waiting jobs until the breaker admits another probe when the probe fails', async () => {
    const { results, rescheduled, job, waitFor } = await startProbe()
    await waitFor()
    await results.report(failed('provider'), 'credential', 'credential')
    expect(rescheduled).toEqual([{ job, delayMs: 10_000 }])
  })

  it.each([
    ['fails because of its target', 'credential'],
    ['fails before its credential is found', undefined],
    ['is sent with another credential', 'changed credential'],
  ])('admit another probe when the probe %s', async (_, credentialId) => {
    const { breakers, results, rescheduled, job, waitFor } = await startProbe()
    await waitFor()
    await results.report(failed('target'), credentialId, 'credential')
    expect(rescheduled).toEqual([{ job, delayMs: 0 }])
    expect(breakers.admit('credential')).toEqual({ admitted: true, isProbe: true })
  })

  it('admit another probe when the probe is not sent', async () => {
    const { breakers, results } = await startProbe()
    await results.abandon('credential')
    expect(breakers.admit('credential')).toEqual({ admitted: true, isProbe: true })
  })

  it('resume a job at once when the probe ended before the job was rescheduled', async () => {
    const { results, rescheduled, job, waitFor } = await startProbe()
    await results.report(sent, 'credential', 'credential')
    await waitFor()
    expect(rescheduled).toEqual([{ job, delayMs: 0 }])
  })
})
