import { builtInProviders, createRegistry, DeliveryError, type OutgoingMessage, type Provider } from '@flowpost/delivery'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { newUuid } from '../../../shared/ids.ts'
import { type SendDeps, send } from './send.ts'
import type { StartedAttempt } from './start-attempts.ts'

const attempt = {
  id: newUuid(),
  user_id: 'alice',
  project_id: newUuid(),
  source_type: 'smtp',
  target: 'ops@example.com',
  created_at: '1764000000000',
  attempt_in_budget: 1,
  elapsed_ms: 0,
  content: { text: 'It is ready.' },
} as StartedAttempt

it('logs the cause of an unexpected error, and returns a fixed text', async () => {
  const lines: string[] = []
  const deps = {
    registry: createRegistry(builtInProviders),
    credentials: { find: () => Promise.reject(new Error('the table is corrupt')) },
    random: () => 0.5,
    retryPolicy: { initialWaitMs: 1000, maxWaitMs: 1000, budgetMs: 60_000 },
    ambiguous: 'retry',
    log: pino({ level: 'info' }, { write: (line) => void lines.push(line) }),
  } as unknown as SendDeps
  const { outcome } = await send(deps, attempt, new AbortController().signal)
  expect(outcome).toMatchObject({ status: 'retrying', failure: { kind: 'provider', code: 'internal' } })
  expect(JSON.stringify(outcome)).not.toContain('corrupt')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ level: 50, err: { message: 'the table is corrupt' } }])
})

it.each([
  [true, 'provider_fault: Error: Cannot encode "It is ready." for ops@example.com.'],
  [false, 'provider_fault: The provider threw an unexpected error. The message was not sent.'],
])(
  'if a provider cannot compose a captured message, stores its error only with FLOWPOST_LOG_CONTENT=on: %s',
  async (logContent, response) => {
    const lines: string[] = []
    const provider = {
      ...createRegistry(builtInProviders).get('smtp'),
      compose: ({ target, content }: OutgoingMessage) => {
        throw new Error(`Cannot encode "${content.text}" for ${target}.`)
      },
    } as unknown as Provider
    const deps = {
      registry: createRegistry([provider]),
      credentials: { find: async () => undefined },
      random: () => 0.5,
      retryPolicy: { initialWaitMs: 1000, maxWaitMs: 1000, budgetMs: 60_000 },
      ambiguous: 'retry',
      logContent,
      log: pino({ level: 'debug' }, { write: (line) => void lines.push(line) }),
    } as unknown as SendDeps
    const { outcome } = await send(deps, { ...attempt, captured: true }, new AbortController().signal)
    expect(outcome).toMatchObject({ status: 'retrying', failure: { kind: 'provider', code: 'provider_fault' }, response })
    expect(lines.map((line) => JSON.parse(line).level)).toEqual([20])
    expect(lines.join().includes('It is ready.')).toBe(logContent)
  },
)

it.each([
  ['the provider has responded', { providerResponse: '429 slow down', retryAfterMs: 3_000 }, { isAnswered: true, retryAfterMs: 3_000 }],
  ['the attempt failed before it reached the provider', {}, { isAnswered: false, retryAfterMs: undefined }],
])('returns whether %s', async (_, fields, expected) => {
  const error = new DeliveryError({ kind: 'rate', code: 'http_429', detail: 'The provider limits the rate.', ...fields })
  const deps = {
    registry: createRegistry(builtInProviders),
    credentials: { find: async () => ({ id: 'credential', settings: {}, open: () => ({}) }) },
    providerClient: { deliver: () => Promise.reject(error) },
    random: () => 0.5,
    retryPolicy: { initialWaitMs: 1000, maxWaitMs: 1000, budgetMs: 60_000 },
    ambiguous: 'retry',
    log: pino({ level: 'silent' }),
  } as unknown as SendDeps
  expect(await send(deps, attempt, new AbortController().signal)).toMatchObject({ breakerKey: 'credential', ...expected })
})
