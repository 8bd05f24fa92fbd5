import { CliError } from '../cli-error.ts'

/**
 * Decodes UTF-8. Removes a byte order mark, which some editors write.
 *
 * @param source Names the bytes in the error, such as "The standard input".
 * @throws {CliError} When the bytes are not valid UTF-8.
 */
export const decodeText = (bytes: Uint8Array, source: string): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new CliError(`${source} is not valid UTF-8.`, 'Encode it as UTF-8.')
  }
}
