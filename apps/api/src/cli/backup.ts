import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { BackupError } from '../backup/backup-error.ts'
import { requireNewFolder } from '../backup/create-backup-folder.ts'
import { requireCompleteRestore } from '../backup/interrupted-restore.ts'
import { readManifest } from '../backup/manifest.ts'
import { type Config, readConfig } from '../config/config.ts'
import { sendCommand } from '../database/control-socket.ts'
import { socketPath } from '../database/lock.ts'
import { operatorCommand } from '../shared/operator-command.ts'
import { pathExists } from '../shared/path-exists.ts'
import { type CommandLine, exitCodes } from './command-line.ts'
import { withDataFolderLock } from './with-data-folder-lock.ts'

const help = `Backs up the database into a new folder. Servers can continue to run.

  ${operatorCommand('backup')} [FOLDER]    Default: flowpost-<time> in the working directory.

On PostgreSQL (DATABASE_URL), the command runs pg_dump. PATH must contain a pg_dump of the same major version as
the PostgreSQL server.
The embedded database (FLOWPOST_DATA_DIR) is copied together with its encryption key. If a server is running on
it, the server makes the backup, and all requests wait meanwhile.

A backup contains every message. A backup of an embedded database also contains the key that encrypts credentials.
If you use FLOWPOST_ENCRYPTION_KEY, back up that key in another place.
The folder gets its final name only once the backup is complete. Only its owner can open it.`

// Long enough to copy a large database.
const responseTimeoutMs = 24 * 3_600_000

/**
 * Checks that this process can read the backup that the server made. The server and this process may see different file
 * systems.
 * @throws BackupError when the backup cannot be read.
 */
const requireVisible = (folder: string): Promise<unknown> =>
  readManifest(folder).catch((error: unknown) => {
    if (!(error instanceof BackupError)) throw error
    throw new BackupError(
      `The server made a backup in ${folder}, but this command finds none there. The server and this command see different ` +
        "file systems, for example because the server runs in a container or with systemd's PrivateTmp. Remove the server's " +
        'backup, and name a folder that has the same path for both.',
    )
  })

/**
 * Backs up the embedded database. If a server is using the database, that server makes the backup; otherwise, this
 * process does.
 */
const backupDataFolder = async (config: Config, folder: string): Promise<void> => {
  const dataDir = resolve(config.dataDir)
  requireNewFolder(folder)
  const response = await sendCommand(socketPath(dataDir), 'backup.create', { folder }, responseTimeoutMs)
  if (response && 'error' in response) throw new BackupError(response.error)
  if (response) {
    await requireVisible(folder)
    return
  }
  requireCompleteRestore(dataDir)
  // Without this check, the command would create an empty database at a mistyped path.
  if (!pathExists(join(dataDir, 'db'))) throw new BackupError(`There is no database in ${dataDir}. Check FLOWPOST_DATA_DIR.`)
  const { backupEmbedded, keysOf } = await import('../backup/embedded-backup.ts')
  const { onEmbedded } = await import('../database/embedded.ts')
  await withDataFolderLock(dataDir, async () => {
    const keys = [...config.encryptionKeys, ...(await keysOf(dataDir))]
    await onEmbedded(dataDir, (connection) => backupEmbedded({ connection, dataDir, keys }, folder))
  })
}

const defaultName = (now: Date): string => `flowpost-${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}`

/** Backs up the database: `pnpm backup`. */
export const backupProgram = async (line: CommandLine): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...line.args],
    allowPositionals: true,
    strict: false,
    options: { help: { type: 'boolean', short: 'h' } },
  })
  if (values['help']) {
    line.print(help)
    return exitCodes.ok
  }
  const [stray] = [...Object.keys(values).map((name) => `--${name}`), ...positionals.slice(1)]
  if (stray !== undefined) {
    line.printError(`Unknown argument ${stray}. Run \`${operatorCommand('backup')} --help\` for help.`)
    return exitCodes.misused
  }
  const { config } = readConfig(line.env)
  const folder = resolve(positionals[0] ?? defaultName(new Date()))
  if (config.databaseUrl === undefined) await backupDataFolder(config, folder)
  else {
    const { backupPostgres } = await import('../backup/postgres-backup.ts')
    await backupPostgres(config.databaseUrl, folder, config.encryptionKeys)
  }
  line.print(folder)
  return exitCodes.ok
}
