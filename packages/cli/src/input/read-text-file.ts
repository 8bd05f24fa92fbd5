import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CliError } from '../cli-error.ts'
import { decodeText } from './decode-text.ts'

/**
 * Reads a text file. Removes a byte order mark.
 *
 * @throws {CliError} When the file cannot be read or is not valid UTF-8.
 */
export const readTextFile = async (name: string, workingFolder: string): Promise<string> => {
  const bytes = await readFile(resolve(workingFolder, name)).catch((error: Error) => {
    throw new CliError(`The file ${name} cannot be read: ${error.message}`)
  })
  return decodeText(bytes, `The file ${name}`)
}
