import type { Logger } from 'pino'
import { type Config, readConfig } from '../config/config.ts'
import { createKeyCommands, type OperatorKey, validateKeyCommand } from '../features/api-keys/key-commands.ts'
import { systemClock } from '../shared/clock.ts'
import { operatorCommand } from '../shared/operator-command.ts'
import { type CommandLine, createCommandLog, exitCodes } from './command-line.ts'
import { help, type KeysCall, readKeysCall } from './keys-arguments.ts'
import { runOnDatabase } from './run-on-database.ts'

type Command = Extract<KeysCall, { command: string }>

const columns: readonly (readonly [string, (key: OperatorKey) => string])[] = [
  ['ID', (key) => key.id],
  ['USER', (key) => key.user_id],
  ['NAME', (key) => key.name],
  ['MODE', (key) => key.mode],
  ['SCOPES', (key) => key.scopes.join(',')],
  ['PROJECT', (key) => key.project_id ?? '-'],
  ['EXPIRES', (key) => key.expires_at ?? 'never'],
  ['LAST USED', (key) => key.last_used_at ?? 'never'],
  ['CREATED', (key) => key.created_at],
]

/** Formats keys as a table with one line per key. */
const keyTable = (keys: readonly OperatorKey[]): string => {
  const rows = [columns.map(([title]) => title), ...keys.map((key) => columns.map(([, cell]) => cell(key)))]
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Formats a result for standard output. Without `--json`, prints the description of a new key to standard error. */
const textOf = (call: Command, result: unknown, { printError }: CommandLine): string => {
  if (call.json) return JSON.stringify(result, null, 2)
  if (call.command === 'keys.list') return keyTable(result as OperatorKey[])
  if (call.command === 'keys.revoke') return (result as { revoked: string[] }).revoked.map((id) => `revoked ${id}`).join('\n')
  const key = result as OperatorKey & { key: string }
  printError(`${key.id} (${key.mode}) for ${key.user_id}: ${key.scopes.join(', ')}. The key is shown only once:`)
  return key.key
}

const runCommand = ({ command, input }: Command, config: Config, log: Logger, { printError }: CommandLine) =>
  runOnDatabase(config, log, {
    name: command,
    input,
    run: (database) => createKeyCommands({ database, clock: systemClock, log })(command, input),
    onNewDatabase: command === 'keys.create' ? (dataDir) => printError(`Created a new database in ${dataDir}.`) : undefined,
  })

/** Creates, lists and revokes API keys: `pnpm keys`. */
export const keysProgram = async (line: CommandLine): Promise<number> => {
  const call = readKeysCall(line.args)
  if ('help' in call) {
    line.print(help)
    return exitCodes.ok
  }
  if ('issue' in call) {
    line.printError(`${call.issue}. Run \`${operatorCommand('keys')} --help\` for help.`)
    return exitCodes.misused
  }
  const { config } = readConfig(line.env)
  const log = createCommandLog(line)
  // Invalid arguments are rejected before a database is opened or created.
  const issue = validateKeyCommand(call.command, call.input)
  const answer = issue === undefined ? await runCommand(call, config, log, line) : { error: issue }
  if ('error' in answer) {
    line.printError(answer.error)
    return exitCodes.failed
  }
  line.print(textOf(call, answer.result, line))
  return exitCodes.ok
}
