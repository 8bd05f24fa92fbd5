import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CliError } from '../cli-error.ts'
import { writePrivateFile } from '../environments/private-file.ts'

/** The store that keeps the position in the event feed between runs. */
export interface CursorStore {
  /** The position to start at; `undefined` if none is given or stored. */
  readonly start: string | undefined
  save(cursor: string | undefined): Promise<void>
}

/**
 * Opens the store for the feed position. With `cursorFile`, the store is that file, which need not exist yet. Otherwise, it
 * starts at `cursor` and saves nothing.
 *
 * @throws {CliError} When both `cursor` and `cursorFile` are given.
 */
export const openCursor = async (
  { cursor, cursorFile }: { readonly cursor?: string | undefined; readonly cursorFile?: string | undefined },
  workingFolder: string,
): Promise<CursorStore> => {
  if (cursorFile === undefined) return { start: cursor, save: async () => {} }
  if (cursor !== undefined) throw new CliError('--cursor and --cursor-file cannot be combined.')
  const path = resolve(workingFolder, cursorFile)
  const start = existsSync(path) ? (await readFile(path, 'utf8')).trim() : ''
  return {
    start: start || undefined,
    save: async (next) => {
      if (next !== undefined) await writePrivateFile(path, `${next}\n`)
    },
  }
}
