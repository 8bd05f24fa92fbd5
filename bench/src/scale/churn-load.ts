import { createHash } from 'node:crypto'
import type { Outcome } from '../../../apps/api/src/features/delivery/attempts/send.ts'
import type { StartedAttempt } from '../../../apps/api/src/features/delivery/attempts/start-attempts.ts'
import type { StoreItem } from '../../../apps/api/src/features/notifications/store-notifications.ts'
import { newUuid, type Uuid } from '../../../apps/api/src/shared/ids.ts'
import { withClient } from '../database/bench-databases.ts'
import { message } from '../scenarios/context.ts'

/** A flow that notifications are sent to. */
export interface ChurnFlow {
  readonly userId: string
  readonly projectId: Uuid
  readonly flowId: Uuid
}

/** Returns every flow of a database. */
export const readFlows = (databaseUrl: string): Promise<ChurnFlow[]> =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<ChurnFlow>(
      'select p.user_id as "userId", p.id as "projectId", f.id as "flowId" from projects p join flows f on f.project_id = p.id',
    )
    return rows
  })

const content = { subject: message.subject, text: message.message }
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

// A UUID, like the id that the server generates for a request without X-Request-Id.
const origin = { requestId: '0b6a3f0e-5d0c-4c56-9f4c-3f1f1f5a7d11' }

/** Creates an item for `storeNotifications`. Notifications with an even `number` have an idempotency key. */
export const createNotification = ({ userId, projectId, flowId }: ChurnFlow, number: number, now: Date): StoreItem => {
  const [id, deliveryId] = [newUuid(), newUuid()]
  const createdAt = now.toISOString()
  const fields = { test: false, reference: null, metadata: null, created_at: createdAt, expires_at: null }
  const notification = { id, project_id: projectId, status: 'queued', subject: message.subject, ...fields }
  const delivery = {
    id: deliveryId,
    notification_id: id,
    flow_id: flowId,
    source_type: 'smtp',
    target: 'ops@example.com',
    status: 'queued',
    captured: false,
    attempt_count: 0,
    next_attempt_at: null,
    sent_at: null,
    provider_message_id: null,
    failure: null,
    receipt: null,
    content,
  }
  const schedule = { at: undefined, expiresAt: undefined }
  const prepared = { userId, projectId, notification, deliveries: [delivery], namedFlowId: undefined, hasTarget: false, ...schedule }
  if (number % 2 === 1) return { prepared, priority: 0, origin }
  const key = `key-${number}`
  const fingerprint = sha256(key)
  const body = JSON.stringify({ ...notification, deliveries: [delivery] })
  const lock = String(fingerprint.readBigInt64BE(0))
  return {
    prepared,
    priority: 0,
    origin,
    storedResponse: { id: [userId, 'send', key], fingerprint, lock, status: 202, headers: {}, body, createdAt: now },
  }
}

const retriedOneIn = 20
const retryAfterMs = 1_000

/** Returns the simulated outcome of an attempt. One in twenty deliveries needs a second attempt. */
export const outcomeOf = ({ attempt_count, id }: StartedAttempt): Outcome => {
  const needsRetry = attempt_count === 1 && Number.parseInt(id.slice(-4), 16) % retriedOneIn === 0
  const failure = { kind: 'provider', code: '451', detail: '4.3.0 Try again later', retryable: true } as const
  return needsRetry
    ? { status: 'retrying', failure, response: '451 4.3.0 Try again later', delayMs: retryAfterMs }
    : { status: 'sent', kind: 'email', providerMessageId: '<42@example.com>', response: '250 OK' }
}
