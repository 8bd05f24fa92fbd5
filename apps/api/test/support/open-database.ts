import { pino } from 'pino'
import type { Database } from '../../src/database/database.ts'
import { openEmbedded } from '../../src/database/embedded.ts'
import { openPostgres } from '../../src/database/postgres.ts'
import { entities } from '../../src/entities.ts'
import type { TestDatabase } from './test-database.ts'

/** Opens a test's database as the server does. Only one process can open the embedded one, so its server must be stopped. */
export const openTestDatabase = ({ url, dataDir }: TestDatabase): Promise<Database> =>
  url === undefined ? openEmbedded({ entities, dataDir }) : openPostgres({ entities, url, poolSize: 3, log: pino({ level: 'silent' }) })
