import { pino } from 'pino'
import type { Database } from '../../src/database/database.ts'
import { openEmbedded } from '../../src/database/embedded.ts'
import type { MigrationOptions } from '../../src/database/migrate/ensure-migrated.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { entities } from '../../src/entities.ts'
import type { TestDatabase } from './test-database.ts'

/** Opens a test's database as the server does. Stop the server first if the database is embedded, because only one process can open it. */
export const openTestDatabase = ({ url, dataDir, startThread }: TestDatabase, options: MigrationOptions = {}): Promise<Database> =>
  url === undefined
    ? openEmbedded({ entities, dataDir, startThread, ...options })
    : openPostgres({ entities, url, poolSize: 3, log: pino({ level: 'silent' }), ...options })
