import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Logger } from 'pino'
import { requireCompleteRestore } from '../backup/interrupted-restore.ts'
import { type Config, readConfig } from '../config/config.ts'
import type { MigrationState } from '../database/migrate/migration-state.ts'
import { entities } from '../entities.ts'
import { operatorCommand } from '../shared/operator-command.ts'
import { pathExists } from '../shared/path-exists.ts'
import { type CommandLine, createCommandLog, exitCodes } from './command-line.ts'
import { withDataFolderLock } from './with-data-folder-lock.ts'

const pendingCode = 3
const poolSize = 2
const databaseWaitMs = 60_000

const help = `Applies the pending database migrations, or shows the state of the database.

  ${operatorCommand('migrate')}             Applies the pending migrations and prints their names.
  ${operatorCommand('migrate')} --status    Lists the migrations and changes nothing.

On PostgreSQL, servers can continue to run: see docs/guides/upgrading.md. Without --status, the command
waits up to 60 s until PostgreSQL is available. If a migration does not get a lock on a table, the command
retries it for about a minute.
The embedded database can only be migrated while no server uses it. A server migrates it at startup.

Exit codes:
  0  All migrations are applied, and this version may run on the database.
  1  The command failed, or this version must not run on the database.
  2  An argument is invalid.
  3  With --status: migrations are pending.`

/** Applies the pending migrations. Returns the names of the applied migrations. */
const migrate = async (config: Config, log: Logger, { print, printError }: CommandLine): Promise<string[]> => {
  const applied: string[] = []
  const onApplied = (name: string) => {
    applied.push(name)
    print(`applied ${name}`)
  }
  if (config.databaseUrl !== undefined) {
    const { openPostgres } = await import('../database/postgres.ts')
    const database = await openPostgres({ entities, url: config.databaseUrl, poolSize, log, waitMs: databaseWaitMs, onApplied })
    await database.close()
    return applied
  }
  const dataDir = resolve(config.dataDir)
  const isNew = !pathExists(join(dataDir, 'db'))
  await withDataFolderLock(dataDir, async () => {
    requireCompleteRestore(dataDir)
    // Imported only when needed, because it loads a WebAssembly build of PostgreSQL.
    const { openEmbedded } = await import('../database/embedded.ts')
    const database = await openEmbedded({ entities, dataDir, onApplied })
    await database.close()
  })
  if (isNew) printError(`Created a new database in ${dataDir}.`)
  return applied
}

/** Reads the migration state without changing the database. */
const readState = async (config: Config): Promise<MigrationState | { error: string }> => {
  if (config.databaseUrl !== undefined) return (await import('../database/postgres.ts')).readPostgresState(config.databaseUrl)
  const dataDir = resolve(config.dataDir)
  requireCompleteRestore(dataDir)
  // Without this check, the command would create an empty database at a mistyped path.
  if (!pathExists(join(dataDir, 'db'))) return { error: `There is no database in ${dataDir}. Check FLOWPOST_DATA_DIR.` }
  return withDataFolderLock(dataDir, async () => (await import('../database/embedded.ts')).readEmbeddedState(dataDir))
}

const showStatus = async (config: Config, { print, printError }: CommandLine): Promise<number> => {
  const state = await readState(config)
  if ('error' in state) {
    printError(state.error)
    return exitCodes.failed
  }
  for (const name of state.applied) print(`applied ${name}`)
  for (const { name } of state.pending) print(`pending ${name}`)
  for (const name of state.newer) print(`newer   ${name}`)
  if (state.incompatibility !== undefined) {
    printError(state.incompatibility)
    return exitCodes.failed
  }
  print(
    state.pending.length > 0
      ? `Run \`${operatorCommand('migrate')}\` before you start this version.`
      : 'This version can run on the database.',
  )
  return state.pending.length > 0 ? pendingCode : exitCodes.ok
}

/** Parses the command line. Returns an issue if the command line is invalid. */
const readArguments = (args: readonly string[]): { status: boolean; help: boolean } | { issue: string } => {
  try {
    const options = { status: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } } as const
    return parseArgs({ args: [...args], options, strict: true }).values
  } catch (error) {
    return { issue: (error as Error).message.split('. ', 1)[0] ?? '' }
  }
}

/** Applies the pending migrations, or shows their state: `pnpm migrate`. */
export const migrateProgram = async (line: CommandLine): Promise<number> => {
  const call = readArguments(line.args)
  if ('issue' in call) {
    line.printError(`${call.issue}. Run \`${operatorCommand('migrate')} --help\` for help.`)
    return exitCodes.misused
  }
  if (call.help) {
    line.print(help)
    return exitCodes.ok
  }
  const { config } = readConfig(line.env)
  if (call.status) return showStatus(config, line)
  const log = createCommandLog(line)
  const applied = await migrate(config, log, line)
  if (applied.length === 0) line.print('All migrations were already applied.')
  return exitCodes.ok
}
