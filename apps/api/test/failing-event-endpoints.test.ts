import { createSecretKey, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Author } from '../src/auth/principal.ts'
import type { Database } from '../src/database/database.ts'
import { createEndpoint } from '../src/features/events/create-endpoint.ts'
import { type ClaimedEndpoint, claimEndpoints } from '../src/features/events/push/claim-endpoints.ts'
import { recordDelivered, recordFailed, toAttemptRow } from '../src/features/events/push/record-push.ts'
import { rotateSecret, updateEndpoint } from '../src/features/events/update-endpoint.ts'
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
  await database.query(
    `insert into events (id, position, user_id, project_id, type, created_at, data) values ($1, 1, 'alice', $2, 'delivery.sent', now(), '{}')`,
    [newUuid(), projectId],
  )
})
afterAll(async () => {
  await database?.close()
  await testDatabase?.remove()
})
beforeEach(async () => {
  await database.query('delete from event_endpoints')
  const { row } = await database.transaction((on) => createEndpoint(on, deps, author, path.project_id, { ...fields, key: null }))
  path.endpoint_id = toId('eventEndpoint', row.id)
  // The event has position 1.
  await database.query('update event_endpoints set cursor_position = 0')
})

/** Claims the endpoint, even if it waits for its next attempt. */
const claim = async (): Promise<ClaimedEndpoint> => {
  await database.query('update event_endpoints set next_attempt_at = null, lease_until = null')
  const [claimed] = await claimEndpoints(database, { limits: { healthy: 1, unknown: 1, failing: 1 }, projectIds: null })
  if (!claimed) throw new Error('No endpoint was claimed.')
  return claimed
}

const result = { startedAt: new Date(), durationMs: 1, status: 200, failure: null }
const attempt = () => toAttemptRow({ id: newUuid(), type: 'delivery.sent', json: '{}' }, result)

const fail = async (): Promise<void> => {
  const claimed = await claim()
  expect(await recordFailed(database, claimed, { ...attempt(), outcome: 'failed' }, { position: '0', id: claimed.cursor_id }, 1_000)).toBe(
    true,
  )
}

const deliver = async (claimed: ClaimedEndpoint): Promise<boolean> =>
  recordDelivered(database, claimed, attempt(), { position: '1', id: newUuid() })

const hourMs = 3_600_000

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
})

it('a rotation of the secret ends the claim of a worker that sends with the previous secret', async () => {
  const claimed = await claim()
  await database.transaction((on) => rotateSecret(on, deps, author, path))
  expect(await deliver(claimed)).toBe(false)
  expect(await database.query('select lease_until from event_endpoints')).toEqual([{ lease_until: null }])
})
