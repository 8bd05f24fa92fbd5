import type { Principal } from '../../src/auth/principal.ts'
import type { Database } from '../../src/database/database.ts'
import type { BulkActionBody } from '../../src/features/bulk-actions/resolve-range.ts'
import { openTestDatabase } from '../support/open-database.ts'
import { acquireDatabase } from '../support/pooled-database.ts'
import { createFlow, readCompleted, send } from '../support/resources.ts'
import { startTestServer } from '../support/test-server.ts'

/** The user to whom the notification of a {@link TemplateDatabase} belongs. */
export const principal: Principal = {
  userId: 'alice',
  scopes: ['notifications:send', 'notifications:read'],
  mode: 'live',
  credentialId: 'a',
  rateLimitKey: 'a',
}

/** A database without a server, with the notification that `addFailedDeliveries` copies. */
export interface TemplateDatabase extends AsyncDisposable {
  readonly database: Database
  /** Selects all deliveries in the project of the notification. */
  readonly filter: BulkActionBody['filter']
}

/** Opens a {@link TemplateDatabase}. */
export const openTemplateDatabase = async (): Promise<TemplateDatabase> => {
  const testDatabase = await acquireDatabase()
  const server = await startTestServer({ database: testDatabase, env: { FLOWPOST_CAPTURE: 'on' } })
  const { project } = await createFlow(server)
  await readCompleted(server, (await send(server, project.id, { reference: 'template' })).id)
  await server.stop()
  const database = await openTestDatabase(testDatabase)
  return {
    database,
    filter: { project_id: project.id, created_after: project.created_at },
    [Symbol.asyncDispose]: async () => {
      await database.close()
      await testDatabase.remove()
    },
  }
}
