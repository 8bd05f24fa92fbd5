import { DeliveryError } from '@flowpost/delivery'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import type { Database, NamedStatement } from '../../../database/database.ts'
import { newUuid } from '../../../shared/ids.ts'
import type { ClaimedEndpoint } from './claim-endpoints.ts'
import { pushEvents } from './push-events.ts'

const dayMs = 86_400_000
const failing: ClaimedEndpoint = {
  id: newUuid(),
  project_id: newUuid(),
  url: 'https://receiver.example.com/events',
  events: ['delivery.sent'],
  secrets: Buffer.alloc(0),
  claim: 1,
  cursor_position: '0',
  cursor_id: newUuid(),
  health: 'failing',
  failures: 5,
  failing_ms: 3 * dayMs,
  next_attempt_at: '2026-11-22 10:00:00+00',
}
const beforeNextAttempt = '2026-11-21 10:00:00+00'
const afterNextAttempt = '2026-11-23 10:00:00+00'

const createEvent = (position: string, created_at: string) => ({
  id: newUuid(),
  position,
  type: 'delivery.sent',
  created_at,
  data: '{}',
})

/**
 * Sends events with these outcomes to an endpoint that has been failing for longer than the retry period.
 * @returns the delays before the next attempts, in milliseconds.
 */
const push = async (outcomes: readonly ('delivered' | 'failed')[], createdAt = beforeNextAttempt): Promise<number[]> => {
  const events = outcomes.map((_, index) => createEvent(String(index + 1), createdAt))
  const query = async (statement: string | NamedStatement, values: readonly unknown[] = []) => {
    const name = typeof statement === 'string' ? statement : statement.name
    return name === 'events-of-project' ? events.filter(({ position }) => Number(position) > Number(values[0])) : [{ id: failing.id }]
  }
  const remaining = [...outcomes]
  const sendEvent = async () => {
    const isFailed = remaining.shift() === 'failed'
    const failure = isFailed ? new DeliveryError({ kind: 'provider', code: 'http_503', detail: 'The endpoint returned 503.' }) : null
    return { startedAt: new Date(), durationMs: 1, status: isFailed ? 503 : 200, failure }
  }
  const deps = {
    database: { query } as unknown as Database,
    log: pino({ level: 'silent' }),
    sendEvent,
    retryPolicy: { initialWaitMs: 1_000, maxWaitMs: 60_000, budgetMs: dayMs },
    random: () => 0.5,
    countPush: () => {},
  }
  const delaysMs: number[] = []
  const onRetry = (delayMs: number) => void delaysMs.push(delayMs)
  await pushEvents(deps, failing, { isOver: () => false, isStopping: () => false, signal: new AbortController().signal, onRetry })
  return delaysMs
}

it('does not retry an endpoint that has been failing for longer than the retry period', async () => {
  expect(await push(['failed'])).toEqual([])
})

it('starts a new retry period with the first failure after a delivered event', async () => {
  expect(await push(['delivered', 'failed'])).toEqual([expect.any(Number)])
})

it('starts a new retry period with the first failure after a time without events', async () => {
  expect(await push(['failed'], afterNextAttempt)).toEqual([expect.any(Number)])
})
