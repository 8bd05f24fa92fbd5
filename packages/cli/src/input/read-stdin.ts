import { CliError } from '../cli-error.ts'
import type { InputStream } from '../io.ts'
import { decodeText } from './decode-text.ts'

/**
 * Maximum size of the input in bytes. Every message that the API accepts is smaller, because a message has at most 100,000
 * characters.
 */
const maxBytes = 1_048_576

/**
 * Reads standard input to its end. Removes a byte order mark.
 *
 * @throws {CliError} When the input is larger than 1 MiB or not valid UTF-8.
 */
export const readStdin = async (stdin: InputStream): Promise<string> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stdin) {
    const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk
    size += bytes.length
    if (size > maxBytes) throw new CliError('The standard input is larger than 1 MiB.')
    chunks.push(bytes)
  }
  return decodeText(Buffer.concat(chunks), 'The standard input')
}
