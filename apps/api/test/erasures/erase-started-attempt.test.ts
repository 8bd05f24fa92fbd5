import { Client } from 'pg'
import { expect, inject, it } from 'vitest'
import { type NamedStatement, textOf } from '../../src/database/database.ts'
import { startAttempts } from '../../src/features/delivery/attempts/start-attempts.ts'
import type { Job } from '../../src/features/delivery/queue/job.ts'
import { eraseLog } from '../../src/features/erasures/erase-log.ts'
import { systemClock } from '../../src/shared/clock.ts'
import { fromId, type Uuid } from '../../src/shared/ids.ts'
import { openTestDatabase } from '../support/open-database.ts'
import { createFlow, send } from '../support/resources.ts'
import { startTestServer } from '../support/test-server.ts'
import { erasedPerson, erasureDeps } from './erased-person.ts'

const target = 'ops@example.com'

const isBlocking = 'select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))'

it.runIf(inject('postgres'))('an erasure ends an attempt that starts at the same time (needs PostgreSQL)', async () => {
  await using server = await startTestServer()
  const { project } = await createFlow(server, { target })
  const { id, deliveries } = await send(server, project.id, { send_at: new Date(Date.now() + 3_600_000).toISOString() })
  await server.stop()
  const database = await openTestDatabase(server.database)
  const client = new Client({ connectionString: server.database.url })
  await client.connect()
  try {
    // As if another delivery of the notification had an attempt in progress. The next attempt then does not lock the notification.
    await database.query(`update notifications set status = 'sending' where id = $1`, [fromId('notification', id)])
    const deliveryId = fromId('delivery', deliveries[0].id) as Uuid
    const [job] = await database.query<Pick<Job, 'claim'>>('select claim from delivery_jobs where delivery_id = $1', [deliveryId])
    await client.query('begin')
    const query = async (statement: string | NamedStatement, values: readonly unknown[] = []) =>
      (await client.query(textOf(statement), [...values])).rows
    const { started } = await startAttempts({ query } as never, systemClock, [{ deliveryId, claim: job?.claim } as Job], 1)
    expect(started).toHaveLength(1)
    const erasing = database.transaction((transaction) => eraseLog(transaction, erasureDeps, erasedPerson(target), null))
    await expect.poll(async () => (await client.query(isBlocking)).rowCount).toBe(1)
    await client.query('commit')
    expect(await erasing).toEqual({ next: null, erased: 1 })
    const attempts = await database.query('select outcome from attempts')
    expect(attempts).toEqual([{ outcome: 'ambiguous' }])
  } finally {
    await client.end()
    await database.close()
  }
})
