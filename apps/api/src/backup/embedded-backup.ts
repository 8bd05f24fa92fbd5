import { constants } from 'node:fs'
import { chmod, copyFile, cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { EmbeddedConnection } from '../database/embedded-connection.ts'
import { firstCodeOf } from '../database/failures.ts'
import { encryptionKeyFileName, readEncryptionKeyFile } from '../shared/encryption-key-file.ts'
import type { EncryptionKey } from '../shared/encryption-keys.ts'
import { pathExists } from '../shared/path-exists.ts'
import { version } from '../version.ts'
import { BackupError } from './backup-error.ts'
import { describeFiles, requireIntactFiles } from './backup-files.ts'
import { readNeededKeys } from './backup-keys.ts'
import { createBackupFolder } from './create-backup-folder.ts'
import { replacedPath } from './interrupted-restore.ts'
import { backupNames, type Manifest, writeManifest } from './manifest.ts'

const ownerOnly = 0o600
// PostgreSQL's error code `undefined_table`.
const undefinedTable = '42P01'

// On file systems that support cloning, the copy shares its blocks with the original.
const copyFolder = (from: string, to: string): Promise<void> => cp(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE })

/** An open embedded database that is to be backed up. */
export interface EmbeddedSource {
  readonly connection: EmbeddedConnection
  readonly dataDir: string
  readonly keys: readonly EncryptionKey[]
}

/** Backs up an embedded database and its encryption key. While the files are copied, all statements wait. */
export const backupEmbedded = async ({ connection, dataDir, keys: known }: EmbeddedSource, folder: string): Promise<void> => {
  const on = { query: async (statement: unknown) => (await connection.query(statement as string)).rows as never }
  const rows: { name: string }[] = await on.query('select name from flowpost_migrations order by id').catch((error: unknown) => {
    throw firstCodeOf(error) === undefinedTable ? new BackupError(`The database in ${dataDir} has no Flowpost tables.`) : error
  })
  const keys = await readNeededKeys(on, known)
  await createBackupFolder(folder, async (temporary) => {
    await connection.whilePaused(() => copyFolder(join(dataDir, 'db'), join(temporary, backupNames.folder)))
    await chmod(join(temporary, backupNames.folder), 0o700)
    const keyFile = join(dataDir, encryptionKeyFileName)
    if (pathExists(keyFile)) {
      await copyFile(keyFile, join(temporary, backupNames.keyFile))
      await chmod(join(temporary, backupNames.keyFile), ownerOnly)
    }
    const created_at = new Date().toISOString()
    const migrations = rows.map(({ name }) => name)
    const files = await describeFiles(temporary)
    await writeManifest(temporary, { format: 1, created_at, flowpost: version, database: 'embedded', migrations, tables: [], keys, files })
  })
}

/**
 * Adds a backup's keys to the key file in the data folder. Keeps the existing keys, because the current database needs
 * them until it is replaced.
 * @throws BackupError when an existing key differs from the backup's key with the same id.
 */
const addKeys = async (dataDir: string, backupFile: string): Promise<void> => {
  const added = (await readFile(backupFile, 'utf8')).trim().split('\n')
  const path = join(dataDir, encryptionKeyFileName)
  const present = pathExists(path) ? (await readFile(path, 'utf8')).trim().split('\n') : []
  const idOf = (line: string) => line.slice(0, line.indexOf(':'))
  const conflict = present.find((line) => added.some((other) => idOf(other) === idOf(line) && other !== line))
  if (conflict !== undefined)
    throw new BackupError(
      `The backup and the key file ${path} contain different keys with the id ${idOf(conflict)}. If you do not need this key file, move it elsewhere and try again.`,
    )
  const temporary = `${path}.restoring`
  const lines = [...added, ...present.filter((line) => !added.includes(line))]
  await writeFile(temporary, `${lines.join('\n')}\n`, { mode: ownerOnly })
  await rename(temporary, path)
}

/**
 * Restores an embedded database. The caller must hold the data folder's lock.
 * @param replace whether to replace an existing database.
 * @param verify checks the database in the given data folder; rejects if this process cannot use it.
 * @throws BackupError when the backup is damaged, when its keys conflict with existing keys, or when a database exists and
 * `replace` is false.
 */
export const restoreEmbedded = async (
  dataDir: string,
  folder: string,
  { files }: Pick<Manifest, 'files'>,
  { replace, verify }: { readonly replace: boolean; readonly verify: (dataDir: string) => Promise<void> },
): Promise<void> => {
  const target = join(dataDir, 'db')
  const replaced = replacedPath(dataDir)
  const isReplacing = pathExists(target)
  // The database is in `replaced` if an interrupted restore has moved it there.
  if ((isReplacing || pathExists(replaced)) && !replace)
    throw new BackupError(
      `There is a database in ${dataDir}. Set FLOWPOST_DATA_DIR to an empty folder, or replace the database with --replace.`,
    )
  // Backups made by earlier releases contain no list of files.
  if (files) await requireIntactFiles(folder, files)
  if (!pathExists(join(folder, backupNames.folder)))
    throw new BackupError(`${folder} is not a complete backup: it has no folder "${backupNames.folder}".`)
  // The staging folder is on the data folder's file system, so the database can be renamed into place instead of copied.
  const staging = join(dataDir, 'restoring')
  await rm(staging, { recursive: true, force: true })
  await mkdir(staging, { mode: 0o700 })
  try {
    await copyFolder(join(folder, backupNames.folder), join(staging, 'db'))
    await chmod(join(staging, 'db'), 0o700)
    await verify(staging)
    const keyFile = join(folder, backupNames.keyFile)
    if (pathExists(keyFile)) await addKeys(dataDir, keyFile)
    // An interrupted restore may have moved the only database to `replaced`. In that case, `target` does not exist, and `replaced`
    // must remain until the new database is in its place.
    if (isReplacing) {
      await rm(replaced, { recursive: true, force: true })
      await rename(target, replaced)
    }
    await rename(join(staging, 'db'), target)
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
  await rm(replaced, { recursive: true, force: true })
}

/** Returns the keys in a data folder's key file. */
export const keysOf = async (dataDir: string): Promise<readonly EncryptionKey[]> =>
  (await readEncryptionKeyFile(dataDir, { create: false })).keys
