import { pino } from 'pino'
import { expect, it } from 'vitest'
import { openEmbedded } from '../src/database/embedded.ts'
import { openPostgres } from '../src/database/postgres.ts'
import { createPgBossQueue } from '../src/queue/pg-boss-queue.ts'
import { newUuid } from '../src/shared/ids.ts'
import { startTestServer } from './test-server.ts'

const log = pino({ level: 'silent' })

it('a job that a larger statement adds is the one that the engine itself makes', async () => {
  await using server = await startTestServer()
  await server.stop()
  const { url, dataDir } = server.database
  const database = url === undefined ? await openEmbedded({ dataDir }) : await openPostgres({ url, poolSize: 3, log })
  const queue = createPgBossQueue({ database, log, name: 'deliveries' })
  await queue.start()
  try {
    for (const runAt of [undefined, new Date(Date.now() + 3_600_000)]) {
      const [key, group] = [newUuid(), newUuid()]
      const rows = await database.transaction(async (transaction) => {
        await queue.enqueue(transaction, [{ key, owner: 'owner', group, tag: 'smtp', priority: -3, ...(runAt ? { runAt } : {}) }])
        await transaction.query(
          `with given as (select $1::uuid as key, 'owner' as owner, $2::text as "group", 'smtp' as tag, -3 as priority, $3::timestamptz as run_at)
           ${queue.insertFrom('given')}`,
          [key, group, runAt ?? null],
        )
        return transaction.query(`select to_jsonb(j) - 'id' as row from flowpost_queue.job j where data->>'key' = $1`, [key])
      })
      expect(rows).toHaveLength(2)
      expect(rows[1]).toEqual(rows[0])
    }
    // A key to another table is looked up for each job, in a row that all jobs have in common.
    expect(
      await database.query(`select conname from pg_constraint where conrelid = 'flowpost_queue.job_common'::regclass and contype = 'f'`),
    ).toEqual([])
  } finally {
    await queue.stop()
    await database.close()
  }
})
