import { createProviderClient, createRegistry, smtp } from '@flowpost/delivery'
import type { FailureKind } from '@flowpost/domain'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { startSmtpSink } from '../../../../test/support/smtp-sink.ts'
import { newUuid } from '../../../shared/ids.ts'
import { type SendDeps, type SendResult, send } from '../attempts/send.ts'
import type { StartedAttempt } from '../attempts/start-attempts.ts'
import type { DelayedJob, Job } from '../queue/job.ts'
import { createCircuitBreakers } from './circuit-breaker.ts'
import { createOutcomeReporter } from './report-outcomes.ts'
import type { Throttled } from './throttle.ts'

const breakerKey = 'credential'

const sent: SendResult = {
  outcome: { status: 'sent', providerMessageId: null, response: '250 OK', kind: 'email' },
  durationMs: 1,
  breakerKey,
}
const failed = (kind: FailureKind, fields: Partial<SendResult> = {}, retryable = false): SendResult => ({
  outcome: { status: 'failed', failure: { kind, code: 'rejected', detail: 'Rejected.', retryable }, response: '550' },
  durationMs: 1,
  breakerKey,
  isAnswered: true,
  ...fields,
})

const newJob = (): Job => ({
  deliveryId: newUuid(),
  userId: 'alice',
  projectId: newUuid(),
  sourceType: 'smtp',
  claim: 1,
  deferrals: 0,
})

/** Starts a probe of an open breaker. `waitFor` makes the rescheduled `jobs` wait for the probe. */
const startProbe = async () => {
  let nowMs = 0
  const breakers = createCircuitBreakers(() => nowMs)
  for (let failures = 0; failures < 5; failures += 1) breakers.failed(breakerKey, false)
  nowMs = 5_000
  expect(breakers.admit(breakerKey, 'probe')).toEqual({ admitted: true, isProbe: true })
  const rescheduled: DelayedJob[] = []
  const queue = { reschedule: async (jobs: readonly DelayedJob[]) => void rescheduled.push(...jobs) }
  const results = createOutcomeReporter({ queue, breakers, log: pino({ level: 'silent' }), random: () => 0 }, () => {})
  const jobs = Array.from({ length: 12 }, newJob)
  const waitFor = () =>
    results.await({
      delayed: jobs.map((job) => ({ job, delayMs: 30_000 })),
      awaitingProbe: new Map(jobs.map((job) => [job.deliveryId, breakerKey])),
    } as unknown as Throttled)
  return { breakers, results, rescheduled, jobs, waitFor, pass: (ms: number) => (nowMs += ms) }
}

describe('a probe', () => {
  it.each<[string, SendResult]>([
    ['is accepted', sent],
    ['is rejected because of its target', failed('target')],
    ['is rejected because of its content', failed('content')],
    ['is rejected because of the credential', failed('credential')],
    ['is rejected for good for another reason', failed('provider')],
  ])('closes the breaker and resumes all waiting jobs at once when it %s', async (_, result) => {
    const { breakers, results, rescheduled, jobs, waitFor } = await startProbe()
    await waitFor()
    expect(rescheduled).toEqual([])
    await results.report(result, breakerKey)
    expect(rescheduled).toEqual(jobs.map((job) => ({ job, delayMs: 0 })))
    expect(breakers.anyOpen()).toBe(false)
  })

  it.each<[string, number, SendResult]>([
    ['the provider fails', 10_000, failed('provider', {}, true)],
    ['the provider fails for good without a response', 10_000, failed('provider', { isAnswered: false })],
    ['the response is lost', 10_000, failed('ambiguous')],
    ['the provider limits the rate', 10_000, failed('rate')],
    ['the provider requests a short wait', 10_000, failed('rate', { retryAfterMs: 1_000 })],
    ['the provider requests a longer wait', 30_000, failed('rate', { retryAfterMs: 30_000 })],
    ['the provider requests a wait of hours', 60_000, failed('rate', { retryAfterMs: 7_200_000 })],
  ])('delays all waiting jobs until the breaker admits another probe when %s', async (_, delayMs, result) => {
    const { breakers, results, rescheduled, jobs, waitFor, pass } = await startProbe()
    await waitFor()
    await results.report(result, breakerKey)
    expect(rescheduled).toEqual(jobs.map((job) => ({ job, delayMs })))
    pass(delayMs - 1)
    expect(breakers.admit(breakerKey, 'probe').admitted).toBe(false)
    pass(1)
    expect(breakers.admit(breakerKey, 'probe')).toEqual({ admitted: true, isProbe: true })
  })

  it.each<[string, SendResult]>([
    ['fails before the message reaches the provider', failed('target', { isAnswered: false })],
    ['fails before its credential is found', { outcome: failed('content').outcome, durationMs: 1, isAnswered: false }],
    ['is sent with another credential', { ...sent, breakerKey: 'changed credential' }],
  ])('is replaced, and ten waiting jobs resume, when it %s', async (_, result) => {
    const { breakers, results, rescheduled, jobs, waitFor } = await startProbe()
    await waitFor()
    await results.report(result, breakerKey)
    expect(rescheduled).toEqual(jobs.slice(0, 10).map((job) => ({ job, delayMs: 0 })))
    expect(breakers.admit(breakerKey, 'probe')).toEqual({ admitted: true, isProbe: true })
    await results.report(sent, breakerKey)
    expect(rescheduled.map(({ job }) => job)).toEqual(jobs)
  })

  it('is replaced, and ten waiting jobs resume, when it is not sent', async () => {
    const { breakers, results, rescheduled, jobs, waitFor } = await startProbe()
    await waitFor()
    await results.abandon(breakerKey)
    expect(rescheduled).toEqual(jobs.slice(0, 10).map((job) => ({ job, delayMs: 0 })))
    expect(breakers.admit(breakerKey, 'probe')).toEqual({ admitted: true, isProbe: true })
  })

  it('resumes jobs at once that are rescheduled after it has ended', async () => {
    const { results, rescheduled, jobs, waitFor } = await startProbe()
    await results.report(sent, breakerKey)
    await waitFor()
    expect(rescheduled).toEqual(jobs.map((job) => ({ job, delayMs: 0 })))
  })
})

describe('a probe of an SMTP server', () => {
  const attempt = {
    id: newUuid(),
    user_id: 'alice',
    project_id: newUuid(),
    source_type: 'smtp',
    created_at: '1764000000000',
    attempt_in_budget: 1,
    elapsed_ms: 0,
    content: { subject: 'Build', text: 'It is ready.' },
  } as StartedAttempt

  const sendTo = async (target: string, url: string): Promise<SendResult> => {
    const { hostname: host, port } = new URL(url)
    const credential = {
      settings: { host, port: Number(port), security: 'none', from: 'flowpost@example.com' },
      secrets: {},
      trusted: true,
    }
    const providerClient = createProviderClient()
    const deps = {
      registry: createRegistry([smtp]),
      credentials: { find: async () => ({ id: breakerKey, settings: credential.settings, open: () => credential }) },
      providerClient,
      random: () => 0.5,
      retryPolicy: { initialWaitMs: 1000, maxWaitMs: 1000, budgetMs: 60_000 },
      ambiguous: 'retry',
      log: pino({ level: 'silent' }),
    } as unknown as SendDeps
    const result = await send(deps, { ...attempt, target }, new AbortController().signal)
    await providerClient.close()
    return result
  }

  it.each([
    ['closes the breaker when the server rejects the message', 'ada@example.com', '5.7.1', false],
    ['leaves the breaker open when nothing is sent to the server', 'ädä@example.com', 'smtputf8_unsupported', true],
  ])('%s', async (_, target, code, isOpen) => {
    await using server = await startSmtpSink({ smtpUtf8: false, reply: () => ({ code: 554, text: '5.7.1 Spam' }) })
    const { breakers, results } = await startProbe()
    const result = await sendTo(target, server.url)
    expect(result.outcome).toMatchObject({ status: 'failed', failure: { code } })
    await results.report(result, breakerKey)
    expect(breakers.anyOpen()).toBe(isOpen)
  })
})

describe('a message that is not a probe', () => {
  it.each<FailureKind>(['target', 'content', 'credential', 'rate', 'provider'])(
    'changes nothing with a final failure of kind %s',
    async (kind) => {
      const { breakers, results } = await startProbe()
      await results.report(failed(kind), undefined)
      expect(breakers.admit(breakerKey, 'probe')).toMatchObject({ admitted: false, probing: true })
    },
  )

  it.each<FailureKind>(['target', 'content', 'credential', 'rate', 'provider'])(
    'leaves the breaker closed with a final failure of kind %s',
    async (kind) => {
      const breakers = createCircuitBreakers(() => 0)
      const queue = { reschedule: async () => {} }
      const results = createOutcomeReporter({ queue, breakers, log: pino({ level: 'silent' }), random: () => 0 }, () => {})
      for (let failures = 0; failures < 10; failures += 1) await results.report(failed(kind), undefined)
      expect(breakers.admit(breakerKey, 'probe')).toEqual({ admitted: true, isProbe: false })
    },
  )
})
