import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { BackupError } from './backup-error.ts'

const manifestName = 'manifest.json'

/** The names of the files and folders in a backup. */
export const backupNames = { dump: 'database.dump', folder: 'db', keyFile: 'encryption.key' } as const

const file = z.object({ path: z.string(), size: z.number(), sha256: z.string() })

/** A file of a backup. `path` is relative to the backup's folder and separates names with `/`. */
export type BackupFile = z.output<typeof file>

const manifest = z.object({
  format: z.literal(1),
  created_at: z.string(),
  flowpost: z.string(),
  database: z.enum(['postgres', 'embedded']),
  /** The names of the applied migrations. */
  migrations: z.array(z.string()),
  /** The tables in the dump; empty for an embedded database. */
  tables: z.array(z.string()),
  /**
   * The encryption keys that are needed to decrypt the database's secrets. `secrets` is the number of database rows with
   * a value that the key encrypts. `fingerprint` is null if the process that made the backup did not have the key.
   */
  keys: z.array(z.object({ id: z.string(), fingerprint: z.string().nullable(), secrets: z.number() })),
  /** All files in a backup of an embedded database, except the manifest. Earlier releases did not write this field. */
  files: z.array(file).optional(),
})

/** The description of a backup, in the file `manifest.json`. It contains no secrets. */
export type Manifest = z.output<typeof manifest>

/** Writes the manifest of a backup. */
export const writeManifest = (folder: string, value: Manifest): Promise<void> =>
  writeFile(join(folder, manifestName), `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flag: 'wx' })

/** Reads the manifest of a backup. @throws BackupError when the folder is not a backup, or its manifest is invalid. */
export const readManifest = async (folder: string): Promise<Manifest> => {
  const text = await readFile(join(folder, manifestName), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') throw new BackupError(`${folder} is not a backup: it has no ${manifestName}.`)
    throw error
  })
  try {
    return manifest.parse(JSON.parse(text))
  } catch {
    throw new BackupError(`The ${manifestName} in ${folder} is damaged, or was written by a later release of Flowpost.`)
  }
}
