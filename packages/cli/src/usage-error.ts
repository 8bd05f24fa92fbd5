import type { CommanderError } from 'commander'
import { CliError } from './cli-error.ts'

/** Formats the parser's message, such as `error: unknown option '--x'`, like the program's other errors. */
export const formatUsageError = (text: string): string => text.replace(/^error: (.)/, (_, first: string) => `Error: ${first.toUpperCase()}`)

/** Converts the parser's error to an error of the program. Its suggestion becomes the hint. */
export const toUsageError = ({ code, message }: CommanderError): CliError => {
  // The parser prints the help of a command whose subcommand is missing.
  if (code === 'commander.help') return new CliError('The command is missing.', 'Run it with --help to see the commands.')
  const [first = '', ...hints] = formatUsageError(message).replace('Error: ', '').split('\n')
  return new CliError(first, hints.map((hint) => hint.replace(/^\((.*)\)$/, '$1')).join(' ') || undefined)
}
