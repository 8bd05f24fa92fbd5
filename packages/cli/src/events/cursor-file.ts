import { constants, existsSync } from 'node:fs'
import { access, mkdir, readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { CliError } from '../cli-error.ts'
import { writePrivateFile } from '../environments/private-file.ts'

/** A store for the position in the event feed, so that the next run can continue there. */
export interface CursorStore {
  /** The position to start at; `undefined` if none is given or stored. */
  readonly start: string | undefined
  save(cursor: string | undefined): Promise<void>
}

/**
 * Opens the store for the feed position. With `cursorFile`, reads the position from that file, if it exists, and `save` writes
 * the file. If the file's folder is missing, creates the folder. Without `cursorFile`, starts at `cursor`, and `save` does
 * nothing.
 *
 * @throws {CliError} When both `cursor` and `cursorFile` are given, or when the file cannot be read or its folder cannot be
 * written.
 */
export const openCursor = async (
  { cursor, cursorFile }: { readonly cursor?: string | undefined; readonly cursorFile?: string | undefined },
  workingFolder: string,
): Promise<CursorStore> => {
  if (cursorFile === undefined) return { start: cursor, save: async () => {} }
  if (cursor !== undefined) throw new CliError('--cursor and --cursor-file cannot be combined.')
  const path = resolve(workingFolder, cursorFile)
  const rejectFile = (error: Error) => {
    throw new CliError(`The cursor file ${path} cannot be used: ${error.message}`)
  }
  const open = async (): Promise<string> => {
    // Done before the first event is handled, so that the command fails early if it cannot store the position.
    await mkdir(dirname(path), { recursive: true })
    await access(dirname(path), constants.W_OK)
    return existsSync(path) ? (await readFile(path, 'utf8')).trim() : ''
  }
  const start = await open().catch(rejectFile)
  return {
    start: start || undefined,
    save: async (next) => {
      if (next !== undefined) await writePrivateFile(path, `${next}\n`).catch(rejectFile)
    },
  }
}
