import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database, Queryable } from '../src/database/database.ts'
import { lockNotifications } from '../src/features/delivery/attempts/record-outcomes.ts'
import { cancelPending, revokeCredential } from '../src/features/delivery/cancel-deliveries.ts'
import type { PendingChange } from '../src/features/projects/delete-with-pending-change.ts'
import { systemClock } from '../src/shared/clock.ts'
import { newUuid, type Uuid } from '../src/shared/ids.ts'
import { openTestDatabase } from './support/open-database.ts'
import { acquireDatabase } from './support/pooled-database.ts'
import type { TestDatabase } from './support/test-database.ts'
import { recordTestEvents, testRecipients } from './support/test-recipients.ts'

const deps = { clock: systemClock, logContent: true, recipients: testRecipients, recordEvents: recordTestEvents }
let testDatabase: TestDatabase
let database: Database

beforeAll(async () => {
  testDatabase = await acquireDatabase()
  database = await openTestDatabase(testDatabase)
})
afterAll(async () => {
  await database.close()
  await testDatabase.remove()
})

/** Queues deliveries in one project, each with its own notification. */
const addDeliveries = async (projectId: Uuid, count: number): Promise<void> => {
  const ids = Array.from({ length: count }, newUuid)
  await database.query(
    `with added as (
       insert into notifications (id, user_id, project_id, status, created_at)
       select id, 'alice', $2, 'queued', now() from unnest($1::uuid[]) as id
     ), delivered as (
       insert into deliveries (id, notification_id, user_id, project_id, flow_id, source_type, target, status, captured, cancel_requested,
         attempt_count, created_at)
       select id, id, 'alice', $2, $2, 'smtp', 'a@example.com', 'queued', false, false, 0, now() from unnest($1::uuid[]) as id
     )
     insert into delivery_jobs (delivery_id, user_id, project_id, source_type, due_at)
     select id, 'alice', $2, 'smtp', now() from unnest($1::uuid[]) as id`,
    [ids, projectId],
  )
}

const count = async (condition: string, projectId: Uuid): Promise<number> => {
  const [row] = await database.query<{ count: number }>(`select count(*)::int as count from ${condition} and project_id = $1`, [projectId])
  return row?.count ?? Number.NaN
}

/** Makes the remaining part of a change, in the transaction. Returns the number of notifications that this part locks. */
const countLocked = async (transaction: Queryable, change: PendingChange): Promise<number> => {
  let locked = 0
  const query: Queryable['query'] = (statement, values = []) => {
    if (statement === lockNotifications) locked += (values[0] as readonly Uuid[]).length
    return transaction.query(statement, values)
  }
  await change.rest({ ...transaction, query })
  return locked
}

it("cancels most of a large project's deliveries before the transaction that deletes the project, and the rest inside it", async () => {
  const [projectId, otherProjectId] = [newUuid(), newUuid()]
  await addDeliveries(projectId, 3_500)
  await addDeliveries(otherProjectId, 2)
  const cancellation = cancelPending(deps, { projectId })
  await cancellation.ahead(database, () => {})
  expect(await count('delivery_jobs where true', projectId)).toBe(500)
  expect(await count(`notifications where status = 'canceled'`, projectId)).toBe(3_000)
  expect(await database.transaction((transaction) => countLocked(transaction, cancellation))).toBe(500)
  expect(await count('delivery_jobs where true', projectId)).toBe(0)
  expect(await count(`notifications where status = 'canceled'`, projectId)).toBe(3_500)
  expect(await count('delivery_jobs where true', otherProjectId)).toBe(2)
})

it('revokes a credential for most deliveries before the transaction that deletes the credential, and for the rest inside it', async () => {
  const projectId = newUuid()
  await addDeliveries(projectId, 1_200)
  const revocation = revokeCredential(projectId, 'smtp')
  await revocation.ahead(database, () => {})
  expect(await count('deliveries where credential_removed', projectId)).toBe(1_000)
  expect(await database.transaction((transaction) => countLocked(transaction, revocation))).toBe(200)
  expect(await count('deliveries where credential_removed', projectId)).toBe(1_200)
})
