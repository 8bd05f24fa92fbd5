import { pino } from 'pino'
import { runOnDatabase } from '../../src/cli/run-on-database.ts'
import { readConfig } from '../../src/config/config.ts'
import { createKeyCommands } from '../../src/features/api-keys/key-commands.ts'
import { systemClock } from '../../src/shared/clock.ts'
import type { TestDatabase } from './test-database.ts'

const log = pino({ level: 'silent' })

/** Revokes a key as `pnpm keys revoke` does, but within this process. */
export const revokeAsOperator = async (database: TestDatabase, id: string): Promise<void> => {
  const { config } = readConfig(database.env)
  const input = { id }
  const result = await runOnDatabase(config, log, {
    name: 'keys.revoke',
    input,
    run: (opened) => createKeyCommands({ database: opened, clock: systemClock, log })('keys.revoke', input),
  })
  if ('error' in result) throw new Error(result.error)
}
