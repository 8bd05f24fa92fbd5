import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, stat, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Logger } from 'pino'
import { type EncryptionKey, parseEncryptionKeys } from './encryption-keys.ts'

/**
 * Thrown when the encryption key file is damaged. The message says what to do, without repeating the file's content.
 */
export class EncryptionKeyFileError extends Error {
  constructor(path: string, issues: readonly string[]) {
    super(
      `The encryption key file ${path} is damaged: ${issues.join('; ')}. Restore it from a backup, because ` +
        'the stored secrets cannot be decrypted without its keys. If there is no backup, remove the file and set all secrets again.',
    )
    this.name = 'EncryptionKeyFileError'
  }
}

/** A data folder's encryption key file, with the keys in it. */
export interface EncryptionKeyFile {
  readonly path: string
  readonly keys: readonly EncryptionKey[]
  /** Whether users other than the owner can read the file. */
  readonly isReadableByOthers: boolean
}

/** The name of the encryption key file in the data folder. */
export const encryptionKeyFileName = 'encryption.key'
const ownerOnly = 0o600

/** Flushes a folder to disk, so that a new file in it survives a crash. Does nothing on platforms that cannot open a folder. */
const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, 'r').catch(() => undefined)
  await folder?.sync().catch(() => {})
  await folder?.close()
}

/**
 * Creates the file with a new key and returns its text. Flushes the file to disk, because secrets cannot be decrypted if
 * the key is lost.
 * @throws Error `EEXIST` when the file exists.
 */
const createFile = async (dataDir: string, path: string): Promise<string> => {
  const text = `local-${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64')}\n`
  const file = await open(path, 'wx', ownerOnly)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await syncFolder(dataDir)
  return text
}

/**
 * Returns the file's text, or `undefined` if there is no file. Removes an empty file: a crash left it behind before a
 * key was written, so nothing has been encrypted.
 */
const readText = async (path: string): Promise<string | undefined> => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text !== '') return text
  await unlink(path)
  return undefined
}

const parseText = (text: string) => parseEncryptionKeys(text.trim().replaceAll(/\s*\n\s*/g, ','))

/**
 * Returns the id of the first key in `<dataDir>/encryption.key`; `undefined` if there is none. Changes nothing, so the caller
 * needs no lock.
 */
export const readFirstKeyId = async (dataDir: string): Promise<string | undefined> => {
  const text = await readFile(join(dataDir, encryptionKeyFileName), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  return parseText(text).keys[0]?.id
}

/**
 * Reads the keys from `<dataDir>/encryption.key`. The file has the format of `FLOWPOST_ENCRYPTION_KEY`, with line
 * breaks instead of commas. The caller must hold the data folder's lock.
 * @param options.create whether to create a missing file with a new key, readable only by its owner.
 * @throws EncryptionKeyFileError when the file is damaged.
 */
export const readEncryptionKeyFile = async (dataDir: string, options: { create: boolean }): Promise<EncryptionKeyFile> => {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const path = join(dataDir, encryptionKeyFileName)
  const text = (await readText(path)) ?? (options.create ? await createFile(dataDir, path) : undefined)
  if (text === undefined) return { path, keys: [], isReadableByOthers: false }
  const { keys, issues } = parseText(text)
  if (issues.length > 0) throw new EncryptionKeyFileError(path, issues)
  const { mode } = await stat(path)
  return { path, keys, isReadableByOthers: process.platform !== 'win32' && (mode & 0o077) !== 0 }
}

/**
 * Loads the encryption keys, the primary key first:
 * - On PostgreSQL: the keys from the environment.
 * - On the embedded database: the keys from the environment, then the keys in the data folder. If neither has a key, creates
 *   one in the data folder. That key is still loaded after a key is added to the environment, so old secrets can be decrypted.
 * @returns an empty list on PostgreSQL without `FLOWPOST_ENCRYPTION_KEY`, in which case no secret can be stored.
 * @throws EncryptionKeyFileError when the key file in the data folder is damaged.
 */
export const loadEncryptionKeys = async (
  config: { readonly databaseUrl: string | undefined; readonly dataDir: string; readonly encryptionKeys: readonly EncryptionKey[] },
  log: Pick<Logger, 'warn'>,
): Promise<readonly EncryptionKey[]> => {
  if (config.databaseUrl !== undefined) return config.encryptionKeys
  const file = await readEncryptionKeyFile(resolve(config.dataDir), { create: config.encryptionKeys.length === 0 })
  if (file.isReadableByOthers) log.warn(`Other users can read the encryption key file ${file.path}. Set its mode to 0600.`)
  const environmentIds = new Set(config.encryptionKeys.map(({ id }) => id))
  return [...config.encryptionKeys, ...file.keys.filter(({ id }) => !environmentIds.has(id))]
}
