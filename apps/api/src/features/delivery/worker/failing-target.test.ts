import { createDiscord, createProviderClient, createRegistry, createTeams, type Provider, webhook } from '@flowpost/delivery'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { type LocalServer, startLocalServer } from '../../../../test/support/local-server.ts'
import { type NamedStatement, textOf } from '../../../database/database.ts'
import { newUuid, type Uuid } from '../../../shared/ids.ts'
import type { FinishedAttempt } from '../attempts/record-outcomes.ts'
import { createCircuitBreakers } from '../throttle/circuit-breaker.ts'
import { createDispatcher, type DispatcherContext, type DispatcherDeps } from './dispatcher.ts'

const signing_secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`

/** Returns the origin of a server that no longer listens. */
const findClosedOrigin = async (): Promise<string> => {
  const server = await startLocalServer(() => ({ status: 200 }))
  await server[Symbol.asyncDispose]()
  return server.url
}

/**
 * Creates a dispatcher with real circuit breakers. Its only credential has two URLs: `dead` leads to a closed port, and `ok` leads to
 * the given server.
 */
const startDispatcher = async (createProvider: (origins: readonly string[]) => Provider, { url }: LocalServer, secrets: object = {}) => {
  const deadOrigin = await findClosedOrigin()
  const provider = createProvider([deadOrigin, url])
  const path = '/api/webhooks/1/token'
  const credential = {
    settings: {},
    secrets: { urls: { dead: deadOrigin + path, ok: url + path }, ...secrets },
    trusted: true,
  }
  const state = { nowMs: 0, processedJobs: 0 }
  const breakers = createCircuitBreakers(() => state.nowMs)
  const providerClient = createProviderClient()
  const targets = new Map<Uuid, string>()
  const results = new Map<Uuid, string>()
  const query = async (statement: string | NamedStatement, [ids]: readonly Uuid[][]) => {
    const text = textOf(statement)
    if (text.includes('into destinations')) return (ids ?? []).map((key) => ({ key, next_at: '' }))
    return (ids ?? []).map((id) => ({
      candidate: id,
      id,
      source_type: provider.id,
      target: targets.get(id),
      waiting_ms: 0,
      attempt_count: 1,
      attempt_in_budget: 1,
      elapsed_ms: 0,
      created_at: '2026-11-27T08:00:00Z',
      content: { subject: 'Build', text: 'It is ready.' },
    }))
  }
  const deps = {
    database: { query },
    queue: { reschedule: async () => {}, complete: async () => {}, release: async () => {} },
    registry: createRegistry([provider]),
    credentials: { find: async () => ({ id: 'credential', settings: {}, open: () => credential }) },
    providerClient,
    breakers,
    clock: { now: () => new Date() },
    random: () => 0.5,
    retryPolicy: { initialWaitMs: 1_000, maxWaitMs: 1_000, budgetMs: 60_000 },
    ambiguous: 'retry',
    log: pino({ level: 'silent' }),
    deliveryMetrics: { processed: (count: number) => (state.processedJobs += count) },
  } as unknown as DispatcherDeps
  const record = async ({ attempt, outcome }: FinishedAttempt) => {
    results.set(attempt.id, outcome.status === 'sent' ? 'sent' : outcome.failure.code)
    return true
  }
  const context = {
    inFlight: { add: () => {}, sent: () => {}, remove: () => {} },
    outcomes: { record },
    signal: { wakeAfter: () => {} },
    onCapacity: () => {},
  } as unknown as DispatcherContext
  const dispatcher = createDispatcher(deps, context)
  return {
    breakers,
    /** Returns how many jobs the dispatcher has processed without starting an attempt. */
    processedJobs: () => state.processedJobs,
    pass: (ms: number) => (state.nowMs += ms),
    /** Dispatches a message. Returns `sent`, the code of its failure, or `delayed` if no attempt was made. */
    send: async (target: 'dead' | 'ok'): Promise<string> => {
      const job = { deliveryId: newUuid(), userId: 'alice', projectId: newUuid(), sourceType: provider.id, claim: 1, deferrals: 0 }
      targets.set(job.deliveryId, target)
      await dispatcher.dispatch([job])
      await dispatcher.settled()
      return results.get(job.deliveryId) ?? 'delayed'
    },
    [Symbol.asyncDispose]: () => providerClient.close(),
  }
}

it.each<[string, () => Provider, object]>([
  ['webhook', () => webhook, { signing_secret }],
  ['teams', () => createTeams({ isWorkflowUrl: () => true }), {}],
])('sends messages to one URL of %s at once while another URL fails', async (_, createProvider, secrets) => {
  await using server = await startLocalServer(() => ({ status: 202 }))
  await using worker = await startDispatcher(createProvider, server, secrets)
  for (let failures = 0; failures < 5; failures += 1) expect(await worker.send('dead')).toBe('econnrefused')
  expect(await worker.send('dead')).toBe('delayed')
  expect(await worker.send('ok')).toBe('sent')
  expect(worker.breakers.countOpen()).toBe(1)

  // A message to the other URL does not become the probe.
  worker.pass(5_000)
  expect(await worker.send('ok')).toBe('sent')
  expect(await worker.send('dead')).toBe('econnrefused')
  expect(await worker.send('dead')).toBe('delayed')
  expect(worker.breakers.countOpen()).toBe(1)
})

it('delays the messages to all URLs of discord when one fails, because they belong to one service', async () => {
  await using server = await startLocalServer(() => ({ status: 200, body: { id: '1', channel_id: '2' } }))
  await using worker = await startDispatcher((origins) => createDiscord({ origins }), server)
  expect(await worker.send('ok')).toBe('sent')
  for (let failures = 0; failures < 5; failures += 1) expect(await worker.send('dead')).toBe('econnrefused')
  expect(worker.processedJobs()).toBe(0)
  expect(await worker.send('ok')).toBe('delayed')
  expect(worker.processedJobs()).toBe(1)
})

it('does not delay messages to a webhook that rejects messages with a redirect', async () => {
  let status = 301
  await using server = await startLocalServer(() => ({ status }))
  await using worker = await startDispatcher(() => webhook, server, { signing_secret })
  for (let failures = 0; failures < 6; failures += 1) expect(await worker.send('ok')).toBe('http_301')
  status = 200
  expect(await worker.send('ok')).toBe('sent')
})
