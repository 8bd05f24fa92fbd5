import { createSecretKey, randomBytes } from 'node:crypto'
import { DeliveryError } from '@flowpost/delivery'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Author } from '../src/auth/principal.ts'
import type { Database } from '../src/database/database.ts'
import { createEndpoint } from '../src/features/events/create-endpoint.ts'
import { eventChannel } from '../src/features/events/event-wakes.ts'
import { type ClaimedEndpoint, claimEndpoints } from '../src/features/events/push/claim-endpoints.ts'
import { pushEvents } from '../src/features/events/push/push-events.ts'
import { recordDelivered, recordFailed, toAttemptRow } from '../src/features/events/push/record-push.ts'
import { unreadableSecret } from '../src/features/events/push/send-event.ts'
import { rotateSecret, updateEndpoint } from '../src/features/events/update-endpoint.ts'
import { createLog } from '../src/log.ts'
import { systemClock } from '../src/shared/clock.ts'
import { createEncryption } from '../src/shared/encryption.ts'
import { newUuid, toId } from '../src/shared/ids.ts'
import { openTestDatabase } from './support/open-database.ts'
import { acquireDatabase } from './support/pooled-database.ts'

const author: Author = { userId: 'alice', scopes: [], mode: 'live', credentialId: 'a', rateLimitKey: 'a', requestId: 'r1' }
const deps = { clock: systemClock, encryption: createEncryption([{ id: 'k1', key: createSecretKey(randomBytes(32)) }]) }
const fields = { url: 'https://receiver.example.com/', events: ['delivery.sent' as const], active: true, description: '' }
const projectId = newUuid()
const path = { project_id: toId('project', projectId), endpoint_id: '' }

let testDatabase: Awaited<ReturnType<typeof acquireDatabase>>
let database: Database
beforeAll(async () => {
  testDatabase = await acquireDatabase()
  database = await openTestDatabase(testDatabase)
  await database.query(`insert into projects (id, user_id, name, created_at, updated_at) values ($1, 'alice', 'a', now(), now())`, [
    projectId,
  ])
})
afterAll(async () => {
  await database?.close()
  await testDatabase?.remove()
})
/** Replaces all events with one at this position. */
const storeEvent = async (position: number): Promise<void> => {
  await database.query('delete from events')
  await database.query(
    `insert into events (id, position, user_id, project_id, type, created_at, data) values ($1, $3, 'alice', $2, 'delivery.sent', now(), '{}')`,
    [newUuid(), projectId, position],
  )
}

beforeEach(async () => {
  await storeEvent(1)
  await database.query('delete from event_endpoints')
  const { row } = await database.transaction((on) => createEndpoint(on, deps, author, path.project_id, { ...fields, key: null }))
  path.endpoint_id = toId('eventEndpoint', row.id)
  // The event has position 1.
  await database.query('update event_endpoints set cursor_position = 0')
})

/** Claims the endpoint; `undefined` if it is not due. */
const claimDue = async (): Promise<ClaimedEndpoint | undefined> => {
  const [claimed] = await claimEndpoints(database, { limits: { healthy: 1, unknown: 1, failing: 1 }, projectIds: null })
  return claimed
}

/** Claims the endpoint, even if it waits for its next attempt. */
const claim = async (): Promise<ClaimedEndpoint> => {
  await database.query('update event_endpoints set next_attempt_at = null, lease_until = null')
  const claimed = await claimDue()
  if (!claimed) throw new Error('No endpoint was claimed.')
  return claimed
}

const result = { startedAt: new Date(), durationMs: 1, status: 200, failure: null }
const attempt = () => toAttemptRow({ id: newUuid(), type: 'delivery.sent', json: '{}' }, result)

const fail = async (): Promise<void> => {
  const claimed = await claim()
  const failure = { to: { position: '0', id: claimed.cursor_id }, failures: claimed.failures + 1, delayMs: 1_000 }
  expect(await recordFailed(database, claimed, { ...attempt(), outcome: 'failed' }, failure)).toBe(true)
}

const deliver = async (claimed: ClaimedEndpoint): Promise<boolean> =>
  recordDelivered(database, claimed, attempt(), { position: '1', id: newUuid() })

const hourMs = 3_600_000

/** Sends the next event to a claimed endpoint. The request fails with `failure`. The retry period is `budgetMs`. */
const pushFailing = async (endpoint: ClaimedEndpoint, failure: DeliveryError, budgetMs: number): Promise<void> => {
  const pushDeps = {
    database,
    log: createLog({ level: 'silent' }),
    sendEvent: async () => ({ ...result, status: null, failure }),
    retryPolicy: { initialWaitMs: 5_000, maxWaitMs: hourMs, budgetMs },
    random: () => 0.5,
    countPush: () => {},
  }
  const turn = { isOver: () => true, isStopping: () => false, signal: new AbortController().signal, onRetry: () => {} }
  await pushEvents(pushDeps, endpoint, turn)
}

/** Lets the endpoint fail once, an hour ago. */
const failOneHourAgo = async (): Promise<void> => {
  await fail()
  await database.query(`update event_endpoints set failing_since = now() - interval '1 hour', health_since = now() - interval '1 hour'`)
}

/** Returns the ages of two times of the endpoint, in milliseconds. */
const readAges = async () => {
  const [row] = await database.query<{ failing: number | null; health: number | null }>(
    `select (extract(epoch from now() - failing_since) * 1000)::float8 as failing,
       (extract(epoch from now() - health_since) * 1000)::float8 as health from event_endpoints`,
  )
  return row
}

describe('the retry period of an event endpoint', () => {
  it('starts with the first of the consecutive failures, like the time of its health status', async () => {
    expect(await claim()).toMatchObject({ failures: 0, failing_ms: null })
    await failOneHourAgo()
    await fail()
    const { failures, failing_ms, health } = await claim()
    expect([failures, health]).toEqual([2, 'failing'])
    expect(failing_ms).toBeGreaterThanOrEqual(hourMs)
    expect((await readAges())?.health).toBeGreaterThanOrEqual(hourMs)
  })

  it('ends with a delivered event', async () => {
    await failOneHourAgo()
    expect(await deliver(await claim())).toBe(true)
    expect(await readAges()).toMatchObject({ failing: null })
  })

  it('ends with an update, so that the next failure does not disable the endpoint', async () => {
    await failOneHourAgo()
    await database.transaction((on) => updateEndpoint(on, deps, author, path, undefined, fields))
    expect(await claim()).toMatchObject({ failures: 0, failing_ms: null })
  })

  it('starts again with the next event after retention deleted the failed event, so that one failure does not disable the endpoint', async () => {
    await fail()
    const fourDaysAgo = `now() - interval '4 days'`
    await database.query(`update event_endpoints set failing_since = ${fourDaysAgo}, next_attempt_at = ${fourDaysAgo}`)
    await storeEvent(2)
    const endpoint = await claimDue()
    if (!endpoint) throw new Error('The endpoint is not due.')
    await pushFailing(
      endpoint,
      new DeliveryError({ kind: 'provider', code: 'http_503', detail: 'The endpoint returned 503.' }),
      72 * hourMs,
    )
    expect(await claim()).toMatchObject({ failures: 1, health: 'failing' })
    expect((await readAges())?.failing).toBeLessThan(hourMs)
  })
})

describe('a rotation of the secret', () => {
  it('ends the claim of a worker that sends with the previous secret', async () => {
    const claimed = await claim()
    await database.transaction((on) => rotateSecret(on, deps, author, path))
    expect(await deliver(claimed)).toBe(false)
    expect(await database.query('select lease_until from event_endpoints')).toEqual([{ lease_until: null }])
  })

  it('resumes sending to an endpoint that was disabled because its secret could not be decrypted', async () => {
    await pushFailing(await claim(), unreadableSecret(), 0)
    expect(await claimDue()).toBeUndefined()
    const notified = Promise.withResolvers<string>()
    const stopListening = await database.listen(eventChannel, notified.resolve, () => {})
    const { row } = await database.transaction((on) => rotateSecret(on, deps, author, path))
    expect(row).toMatchObject({ health_status: 'unknown', health_code: null })
    expect(await notified.promise).toContain(projectId)
    expect(await claimDue()).toMatchObject({ failures: 0, failing_ms: null })
    await stopListening()
  })

  it('does not resume sending to an endpoint that was disabled for another reason', async () => {
    await pushFailing(await claim(), new DeliveryError({ kind: 'provider', code: 'http_410', detail: 'The endpoint returned 410.' }), 0)
    await database.transaction((on) => rotateSecret(on, deps, author, path))
    expect(await claimDue()).toBeUndefined()
  })
})
