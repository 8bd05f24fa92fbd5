import { pino } from 'pino'
import { expect, it } from 'vitest'
import { readNeededKeys } from '../../src/backup/backup-keys.ts'
import { openEmbedded } from '../../src/database/embedded.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { entities } from '../../src/entities.ts'
import { createProject } from '../support/api-keys.ts'
import { createEndpoint, eventEnv } from '../support/event-endpoints.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { startTestServer } from '../support/test-server.ts'

it('a backup names the keys of every stored secret, not only those of integrations', async () => {
  await using server = await startTestServer({ database: await createTestDatabase(), env: eventEnv })
  await createEndpoint(server, await createProject(server, 'shop'))
  await server.stop()
  const { url, dataDir } = server.database
  const log = pino({ level: 'silent' })
  const database = url === undefined ? await openEmbedded({ entities, dataDir }) : await openPostgres({ entities, url, poolSize: 1, log })
  try {
    // The endpoint's secret and the key for recipient digests.
    expect(await readNeededKeys(database, [])).toEqual([{ id: 'k1', fingerprint: null, secrets: 2 }])
    // As before an upgrade from a release without events.
    await database.query('alter table event_endpoints rename to later_endpoints')
    expect(await readNeededKeys(database, [])).toEqual([{ id: 'k1', fingerprint: null, secrets: 1 }])
  } finally {
    await database.close()
  }
})
