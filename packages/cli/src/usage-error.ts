import type { CommanderError } from 'commander'
import { CliError } from './cli-error.ts'

/** Formats a message of the parser like other errors: `error: unknown option '--x'` becomes `Error: Unknown option '--x'`. */
export const formatUsageError = (text: string): string => text.replace(/^error: (.)/, (_, first: string) => `Error: ${first.toUpperCase()}`)

/** Converts the parser's error to a `CliError`. The parser's suggestion becomes the hint. */
export const toUsageError = ({ code, message }: CommanderError): CliError => {
  // If a command or a subcommand is missing, the parser prints the help instead of an error message.
  if (code === 'commander.help') return new CliError('A command is missing.', 'Add --help to see the commands.')
  const [first = '', ...hints] = formatUsageError(message).replace('Error: ', '').split('\n')
  return new CliError(first, hints.map((hint) => hint.replace(/^\((.*)\)$/, '$1')).join(' ') || undefined)
}
