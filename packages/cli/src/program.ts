import type { Command as TypedCommand } from '@commander-js/extra-typings'
import { Command } from 'commander'
import { type CommandContext, createContext, type ProgramHooks } from './command-context.ts'
import { commandTable } from './command-table.ts'
import { readDuration } from './input/read-time.ts'
import type { Io } from './io.ts'
import { hasColors } from './output/colors.ts'
import { createOutput } from './output/output.ts'
import { formatUsageError } from './usage-error.ts'
import { version } from './version.ts'

const introduction = `Sends, follows and inspects notifications on a Flowpost server.`

const examples = `
Examples:
  $ flowpost login
  $ flowpost send "The invoice is ready." --project billing --subject "Invoice 42" --wait
  $ flowpost log --status failed --since 2h

Exit codes: 0 success, 1 error or failed result, 2 differences found, 130 interrupted.
Documentation: https://github.com/flowpost/flowpost/tree/main/packages/cli`

const sentence = (summary: string): string => `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`

/**
 * Creates the command line parser. A command's module is loaded when the command runs or its help is shown.
 *
 * @param printsErrors Whether the parser prints errors before it throws them.
 */
export const createProgram = (io: Io, hooks: ProgramHooks, { printsErrors }: { readonly printsErrors: boolean }): Command => {
  const program = new Command('flowpost')
    .description(introduction)
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .option('--env <name>', 'use this stored environment (a server and its key)')
    .option('--json', 'print JSON for programs')
    .option('--timeout <duration>', 'time limit of a request, including retries (default: 30s)', readDuration)
    .addHelpText('after', examples)
    .showSuggestionAfterError()
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => {
        if (printsErrors) io.stderr.write(text)
      },
      outputError: (text, write) => write(formatUsageError(text)),
      getOutHelpWidth: () => io.stdout.columns || 100,
      getErrHelpWidth: () => io.stderr.columns || 100,
      getOutHasColors: () => hasColors(io.stdout, io.env),
      getErrHasColors: () => hasColors(io.stderr, io.env),
    })
  for (const { name, summary, group } of commandTable)
    program.command(name).summary(summary).description(sentence(summary)).helpGroup(`${group}:`)
  // For an unknown command with --help, the parser would show the general help.
  program.on('beforeAllHelp', ({ command }: { readonly command: Command }) => rejectUnknownCommand(command))
  program.hook('preSubcommand', async (_, command) => {
    const options = program.opts()
    const output = createOutput(io, options['json'] === true)
    const context: CommandContext = createContext(io, output, options, { ...hooks, defineCommand: (other) => define(other, context) })
    await define(command, context)
  })
  return program
}

/** Throws the parser's error if a command that has subcommands was called with an unknown one. */
const rejectUnknownCommand = (command: Command): void => {
  const [name] = command.args
  if (command.commands.length > 0 && name !== undefined && !name.startsWith('-')) command.parse([name], { from: 'user' })
}

/** Loads a command's module and adds the command's arguments, options and action. */
const define = async (command: Command, context: CommandContext): Promise<void> => {
  const entry = commandTable.find(({ name }) => name === command.name())
  const defineCommand = await entry?.load()
  defineCommand?.(command as unknown as TypedCommand, context)
}
