import { pino } from 'pino'
import { expect, it } from 'vitest'
import { openEmbedded } from '../src/database/embedded.ts'
import { openPostgres } from '../src/database/postgres.ts'
import { createPgBossQueue } from '../src/queue/pg-boss-queue.ts'
import { onDatabase } from './direct-database.ts'
import { createFlow, send, settled } from './resources.ts'
import { startTestServer } from './test-server.ts'

const countJobs = 'select count(*)::int as count from flowpost_queue.job'

it('a job leaves the queue as soon as its message is settled, so that the queue is as large as what waits', async () => {
  await using server = await startTestServer()
  const { project } = await createFlow(server)
  await settled(server, (await send(server, project.id)).id)
  await send(server, project.id, { send_at: new Date(Date.now() + 3_600_000).toISOString() })
  await server.stop()
  expect(await onDatabase(server.database, (query) => query(countJobs))).toEqual([{ count: 1 }])
})

it('a job is not removed by a claim of it that has lapsed', async () => {
  await using server = await startTestServer()
  await server.stop()
  const log = pino({ level: 'silent' })
  const { url, dataDir } = server.database
  const database = url === undefined ? await openEmbedded({ dataDir }) : await openPostgres({ url, poolSize: 3, log })
  const queue = createPgBossQueue({ database, log, name: 'deliveries' })
  try {
    await queue.start()
    await queue.enqueue(database, [{ key: 'key', owner: 'alice', group: 'group', tag: 'smtp' }])
    const [job] = await queue.claim(1)
    if (!job) throw new Error('There is no job.')
    await queue.complete(database, [{ ...job, retryCount: job.retryCount + 1 }])
    expect(await database.query(countJobs)).toEqual([{ count: 1 }])
    await queue.complete(database, [job])
    expect(await database.query(countJobs)).toEqual([{ count: 0 }])
  } finally {
    await queue.stop()
    await database.close()
  }
})
