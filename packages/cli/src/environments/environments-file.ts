import { mkdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { CliError } from '../cli-error.ts'
import type { Io } from '../io.ts'
import { configFolder } from './config-folder.ts'
import { withFileLock } from './file-lock.ts'
import { writePrivateFile } from './private-file.ts'
import { isServerUrl } from './server-url.ts'

/** A server and a key for it. */
export interface Environment {
  readonly baseUrl: string
  readonly apiKey: string
}

/** A user's named environments. */
export interface Environments {
  /** The name of the environment that commands use by default. */
  readonly current: string | undefined
  readonly named: ReadonlyMap<string, Environment>
}

/** The file that stores the user's environments. */
export interface EnvironmentsFile {
  readonly path: string
  /**
   * Reads the file. If the file does not exist, returns no environments.
   *
   * @throws {CliError} When the file cannot be read or is not valid.
   */
  read(): Promise<Environments>
  /**
   * Changes the file. A lock file prevents other processes from changing it at the same time. The file is replaced atomically:
   * an interrupted process leaves either the old file or the new one.
   *
   * @throws {CliError} When the file cannot be read or written, is not valid or is locked.
   */
  update(change: (environments: Environments) => Environments): Promise<void>
  /**
   * Returns a warning if the file's mode lets other users read the keys. Returns `undefined` on Windows, where the
   * permissions of the profile folder protect the file.
   */
  permissionWarning(): Promise<string | undefined>
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

const isSystemError = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'syscall' in error

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const parse = (text: string): Environments | undefined => {
  let file: unknown
  try {
    file = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isRecord(file) || !isRecord(file['environments'])) return undefined
  const named = new Map<string, Environment>()
  for (const [name, value] of Object.entries(file['environments'])) {
    if (!isRecord(value) || typeof value['base_url'] !== 'string' || typeof value['api_key'] !== 'string') return undefined
    // Commands print the URL, so it must not contain a password.
    if (!isServerUrl(value['base_url'])) return undefined
    named.set(name, { baseUrl: value['base_url'], apiKey: value['api_key'] })
  }
  const current = file['current']
  return { named, current: typeof current === 'string' && named.has(current) ? current : undefined }
}

const format = ({ current, named }: Environments): string => {
  const environments = Object.fromEntries([...named].map(([name, { baseUrl, apiKey }]) => [name, { base_url: baseUrl, api_key: apiKey }]))
  return `${JSON.stringify({ current: current ?? null, environments }, undefined, 2)}\n`
}

/** Returns functions to read and write the environments file. Does not read the file yet. */
export const createEnvironmentsFile = (io: Pick<Io, 'env' | 'platform' | 'homeFolder' | 'now'>): EnvironmentsFile => {
  const folder = configFolder(io)
  const path = join(folder, 'environments.json')
  const read = async (): Promise<Environments> => {
    let text: string
    try {
      text = await readFile(path, 'utf8')
    } catch (error) {
      if (isMissing(error)) return { current: undefined, named: new Map() }
      throw new CliError(`${path} cannot be read: ${(error as Error).message}`)
    }
    const environments = parse(text)
    if (environments === undefined) throw new CliError(`${path} is not valid.`, 'Correct it, or delete it and run `flowpost login` again.')
    return environments
  }
  return {
    path,
    read,
    update: async (change) => {
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await withFileLock(`${path}.lock`, io.now, async () => writePrivateFile(path, format(change(await read()))))
      } catch (error) {
        if (!isSystemError(error)) throw error
        throw new CliError(`${path} cannot be written: ${error.message}`)
      }
    },
    permissionWarning: async () => {
      if (io.platform === 'win32') return undefined
      try {
        const mode = (await stat(path)).mode & 0o777
        if ((mode & 0o077) === 0) return undefined
        return `${path} has the mode ${mode.toString(8)}, so other users of this machine may read its keys. Run: chmod 600 '${path}'`
      } catch (error) {
        if (isMissing(error)) return undefined
        throw error
      }
    },
  }
}
