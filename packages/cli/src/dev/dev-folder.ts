import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CliError } from '../cli-error.ts'
import type { Environment } from '../environments/environments-file.ts'
import { devEnvironmentPath, devFolderName, formatDevEnvironment, readFolderEnvironment } from '../environments/folder-environment.ts'
import { writePrivateFile } from '../environments/private-file.ts'

/** The folder in which `flowpost dev` stores its state. */
export interface DevFolder {
  /** The embedded database's folder. */
  readonly dataFolder: string
  /** The server's API key. It stays the same across restarts, so programs can store it. */
  readonly apiKey: string
  /** The previously started server, which may still be running. */
  readonly previous: Environment | undefined
  /** Stores the server's URL and key, so that other commands in the working folder use this server. */
  publish(baseUrl: string): Promise<void>
}

const keyPattern = /^fp_[A-Za-z0-9_-]{32,}$/

/**
 * Opens the state folder in a working folder, or creates it with a `.gitignore` that excludes all its files.
 *
 * @throws {CliError} When the state folder cannot be written.
 */
export const openDevFolder = async (workingFolder: string): Promise<DevFolder> => {
  const folder = join(workingFolder, devFolderName)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeFile(join(folder, '.gitignore'), '*\n')
  } catch (error) {
    throw new CliError(`${folder} cannot be written: ${(error as Error).message}`)
  }
  const previous = await readFolderEnvironment(workingFolder)
  const isOwnKey = previous !== undefined && keyPattern.test(previous.apiKey)
  const apiKey = isOwnKey ? previous.apiKey : `fp_${randomBytes(24).toString('hex')}`
  return {
    dataFolder: join(folder, 'data'),
    apiKey,
    previous,
    publish: (baseUrl) => writePrivateFile(devEnvironmentPath(workingFolder), formatDevEnvironment({ baseUrl, apiKey })),
  }
}
