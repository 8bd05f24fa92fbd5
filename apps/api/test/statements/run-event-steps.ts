import { createSecretKey } from 'node:crypto'
import type { Database } from '../../src/database/database.ts'
import { createEndpoint } from '../../src/features/events/create-endpoint.ts'
import { hasEventsAfter, readEvents } from '../../src/features/events/event.queries.ts'
import { feedStart } from '../../src/features/events/position.ts'
import { claimEndpoints, oldestUnpushedSeconds } from '../../src/features/events/push/claim-endpoints.ts'
import { logAttempt, recordDelivered, recordFailed, releaseEndpoint } from '../../src/features/events/push/record-push.ts'
import { rotateEndpointSecrets } from '../../src/features/events/rotate-endpoint-secrets.ts'
import { systemClock } from '../../src/shared/clock.ts'
import { createEncryption } from '../../src/shared/encryption.ts'
import { newUuid, toId } from '../../src/shared/ids.ts'

/** Runs the statements for event endpoints and event pushes that a short server run does not reach. */
export const runEventSteps = async (database: Database): Promise<void> => {
  const clock = systemClock
  const [id, projectId] = [newUuid(), newUuid()]
  for (const projectIds of [null, [projectId]])
    await claimEndpoints(database, { limits: { healthy: 1, unknown: 1, failing: 1 }, projectIds })
  await oldestUnpushedSeconds(database)
  const [oldKey, newKey] = ['old', 'new'].map((name) => ({ id: name, key: createSecretKey(Buffer.alloc(32, name)) }))
  if (!oldKey || !newKey) throw new Error('There are no keys.')
  await database.query(`insert into projects (id, user_id, name, created_at, updated_at) values ($1, 'alice', 'rotated', now(), now())`, [
    projectId,
  ])
  const principal = { userId: 'alice', scopes: [], mode: 'live' as const, credentialId: 'key', rateLimitKey: 'key', requestId: 'request' }
  const fields = { url: null, events: ['delivery.sent' as const], active: true, description: '' }
  await database.transaction((transaction) =>
    createEndpoint(transaction, { clock, encryption: createEncryption([oldKey]) }, principal, toId('project', projectId), fields),
  )
  await rotateEndpointSecrets(database, createEncryption([newKey, oldKey]))
  for (const owner of [{ userId: 'alice' }, { projectId }]) {
    await readEvents(database, { owner, types: ['delivery.sent'], after: feedStart, limit: 1 })
    await hasEventsAfter(database, owner, feedStart)
  }
  const pushed = {
    id,
    event_id: id,
    type: 'test.ping',
    outcome: 'failed',
    status: null,
    code: null,
    detail: null,
    duration_ms: 1,
    created_at: new Date(),
  }
  const claim = { id, claim: 1 }
  await logAttempt(database, id, pushed)
  await recordDelivered(database, claim, pushed, feedStart)
  await recordFailed(database, claim, pushed, { to: feedStart, failures: 1, delayMs: null })
  await releaseEndpoint(database, claim, feedStart)
}
