import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type EncryptionKey, parseEncryptionKeys } from './encryption-keys.ts'

/** Thrown when the file with the encryption key cannot be used. Says what to do, without repeating what is in it. */
export class EncryptionKeyFileError extends Error {
  constructor(path: string, faults: readonly string[]) {
    super(
      `The file ${path} holds the key that secrets are sealed with, and it is damaged: ${faults.join('; ')}. ` +
        'Restore it from a backup. Without it the stored secrets cannot be opened: then remove it, and set them anew.',
    )
    this.name = 'EncryptionKeyFileError'
  }
}

/** The keys of a data folder. */
export interface EncryptionKeyFile {
  readonly path: string
  readonly keys: readonly EncryptionKey[]
  /** Whether others than the owner may read the file. */
  readonly isOpenToOthers: boolean
}

const fileName = 'encryption.key'
const ownerOnly = 0o600

/** Makes it durable that a file has a name. Not every platform can open a folder. */
const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, 'r').catch(() => undefined)
  await folder?.sync().catch(() => {})
  await folder?.close()
}

/**
 * Writes a new key and returns once it would survive a power cut: a secret that was sealed with a key
 * that is lost is lost too. Fails when the file exists.
 */
const makeFile = async (dataDir: string, path: string): Promise<string> => {
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

/** The text of the file; `undefined` when there is none, or an empty one, left by a crash before anything was sealed with its key. */
const readText = async (path: string): Promise<string | undefined> => {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text !== '') return text
  await unlink(path)
  return undefined
}

/**
 * Reads the keys of `<dataDir>/encryption.key`. It has the form of `FLOWPOST_ENCRYPTION_KEY`, where a line
 * break counts as a comma. The caller holds the lock of the data folder.
 *
 * @param options.make Whether a file with a new key is made, for its owner alone, when there is none.
 * @throws EncryptionKeyFileError when there is a file that holds no usable key.
 */
export const readEncryptionKeyFile = async (dataDir: string, options: { make: boolean }): Promise<EncryptionKeyFile> => {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const path = join(dataDir, fileName)
  const text = (await readText(path)) ?? (options.make ? await makeFile(dataDir, path) : undefined)
  if (text === undefined) return { path, keys: [], isOpenToOthers: false }
  const { keys, faults } = parseEncryptionKeys(text.trim().replaceAll(/\s*\n\s*/g, ','))
  if (faults.length > 0) throw new EncryptionKeyFileError(path, faults)
  const { mode } = await stat(path)
  return { path, keys, isOpenToOthers: process.platform !== 'win32' && (mode & 0o077) !== 0 }
}
