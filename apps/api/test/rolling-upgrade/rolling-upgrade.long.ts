import { Client } from 'pg'
import { describe, expect, inject, it } from 'vitest'
import { expectDelivered } from '../support/expect-delivered.ts'
import { openTestDatabase } from '../support/open-database.ts'
import { createFlow, send } from '../support/resources.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { startTestServer } from '../support/test-server.ts'
import { nextRelease } from './releases.ts'
import { runUpgrade } from './rolling-upgrade.ts'

describe.skipIf(inject('postgres') === null)('an upgrade (needs TEST_DATABASE_URL)', () => {
  it('and its rollback fail no call, lose no message and send no duplicate', async () => {
    const report = await runUpgrade({ rounds: 1, messagesPerPhase: 20, concurrency: 4, pauseMs: 10, seed: 1 })
    expect(report.failed).toEqual([])
    expectDelivered(report)
  })

  it('does not hold up messages while its migration waits for a lock', async () => {
    await using server = await startTestServer()
    const { project } = await createFlow(server)
    const reader = new Client({ connectionString: server.database.url })
    await reader.connect()
    try {
      // During a backup, `pg_dump` holds an `access share` lock on every table, possibly for hours.
      await reader.query('begin')
      await reader.query('lock table deliveries in access share mode')
      const attempted = new Promise<void>((resolve) => {
        const check = async () => {
          const { rowCount } = await reader.query(
            `select 1 from pg_locks where not granted and relation = 'deliveries'::regclass and mode = 'AccessExclusiveLock'`,
          )
          if (rowCount === 0) setTimeout(check, 20)
          else resolve()
        }
        void check()
      })
      const opening = openTestDatabase(server.database, { migrations: nextRelease })
      await attempted
      for (let count = 0; count < 3; count += 1) await send(server, project.id)
      await reader.query('commit')
      await (await opening).close()
    } finally {
      await reader.end()
    }
  })

  it('starts a process with FLOWPOST_MIGRATE=off only after the migration', async () => {
    const database = await createTestDatabase()
    const options = { database, migrations: nextRelease, env: { FLOWPOST_MIGRATE: 'off' } }
    await expect(startTestServer({ ...options, databaseWaitMs: 300 })).rejects.toThrow(
      /^The database lacks 6 migrations that this version needs: 29990101000000-notifications, .* Run `pnpm migrate`/,
    )
    const starting = startTestServer(options)
    await (await openTestDatabase(database, { migrations: nextRelease })).close()
    await using server = await starting
    expect((await server.request('GET', '/readyz')).status).toBe(200)
  })
})
