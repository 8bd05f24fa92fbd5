import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { BackupError } from '../backup/backup-error.ts'
import { keyWarnings } from '../backup/backup-keys.ts'
import { type Manifest, readManifest } from '../backup/manifest.ts'
import { type Config, readConfig } from '../config/config.ts'
import { requireCompatible } from '../database/migrate/migration-state.ts'
import { migrations } from '../database/migrations/index.ts'
import type { EncryptionKey } from '../shared/encryption-keys.ts'
import { operatorCommand } from '../shared/operator-command.ts'
import { type CommandLine, exitCodes } from './command-line.ts'
import { withDataFolderLock } from './with-data-folder-lock.ts'

const help = `Restores a backup that \`${operatorCommand('backup')}\` made. Stop all servers first.

  ${operatorCommand('restore')} FOLDER              Restores into an empty database.
  ${operatorCommand('restore')} FOLDER --replace    Replaces the database.

The backup is restored completely or not at all. On PostgreSQL (DATABASE_URL), the command runs pg_restore. PATH
must contain a pg_restore that is not older than the PostgreSQL server.
Servers then start on hold and send nothing, because messages that were unfinished at backup time may have been
sent since. To end the hold, start a server with FLOWPOST_AFTER_RESTORE=cancel or FLOWPOST_AFTER_RESTORE=send
(docs/guides/backup.md).`

/** Throws a `BackupError` if this release or the configured database cannot use the backup. */
const requireUsable = (manifest: Manifest, config: Config): void => {
  const kind = config.databaseUrl === undefined ? 'embedded' : 'postgres'
  if (manifest.database !== kind)
    throw new BackupError(
      manifest.database === 'embedded'
        ? 'This is a backup of an embedded database. Unset DATABASE_URL, and set FLOWPOST_DATA_DIR to the folder to restore into.'
        : 'This is a backup of a PostgreSQL database. Set DATABASE_URL to the database to restore into.',
    )
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = manifest.migrations.find((name) => !known.has(name))
  if (unknown !== undefined)
    throw new BackupError(
      `The backup needs the migration ${unknown}, which this release lacks. Use a later release, such as Flowpost ${manifest.flowpost}.`,
    )
}

/** Restores the embedded database. Returns the encryption keys that a server on this database will use. */
const restoreDataFolder = async (
  config: Config,
  folder: string,
  manifest: Manifest,
  replace: boolean,
): Promise<readonly EncryptionKey[]> => {
  const dataDir = resolve(config.dataDir)
  const { restoreEmbedded, keysOf } = await import('../backup/embedded-backup.ts')
  const { readEmbeddedState } = await import('../database/embedded.ts')
  return withDataFolderLock(dataDir, async () => {
    const verify = async (staging: string) => requireCompatible(await readEmbeddedState(staging))
    await restoreEmbedded(dataDir, folder, manifest, { replace, verify })
    return [...config.encryptionKeys, ...(await keysOf(dataDir))]
  })
}

/** Restores a backup: `pnpm restore`. */
export const restoreProgram = async (line: CommandLine): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...line.args],
    allowPositionals: true,
    strict: false,
    options: { help: { type: 'boolean', short: 'h' }, replace: { type: 'boolean' } },
  })
  if (values['help']) {
    line.print(help)
    return exitCodes.ok
  }
  const [name, ...rest] = positionals
  const stray = [...Object.keys(values).filter((option) => option !== 'replace'), ...rest]
  if (name === undefined || stray.length > 0) {
    line.printError(`Name one backup folder. Run \`${operatorCommand('restore')} --help\` for help.`)
    return exitCodes.misused
  }
  const { config } = readConfig(line.env)
  const folder = resolve(name)
  const manifest = await readManifest(folder)
  requireUsable(manifest, config)
  const replace = values['replace'] === true
  let keys = config.encryptionKeys
  if (config.databaseUrl === undefined) keys = await restoreDataFolder(config, folder, manifest, replace)
  else {
    const { restorePostgres } = await import('../backup/postgres-backup.ts')
    await restorePostgres(config.databaseUrl, folder, manifest, replace)
  }
  for (const warning of keyWarnings(manifest.keys, keys)) line.printError(`Warning: ${warning}`)
  line.print(`Restored the backup from ${manifest.created_at}. Servers start on hold until FLOWPOST_AFTER_RESTORE is "cancel" or "send".`)
  return exitCodes.ok
}
