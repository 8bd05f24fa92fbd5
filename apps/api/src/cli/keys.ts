import { type Logger, pino } from 'pino'
import { type Config, readConfig } from '../config/config.ts'
import { createKeyCommands, type OperatorKey, validateKeyCommand } from '../features/api-keys/key-commands.ts'
import { createLog } from '../log.ts'
import { systemClock } from '../shared/clock.ts'
import { help, type KeysCall, readKeysCall } from './keys-arguments.ts'
import { exitCodes, runMain, runOnDatabase, standardError } from './run-on-database.ts'

type Command = Extract<KeysCall, { command: string }>

const columns: readonly (readonly [string, (key: OperatorKey) => string])[] = [
  ['ID', (key) => key.id],
  ['USER', (key) => key.user_id],
  ['NAME', (key) => key.name],
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

/** Formats a result for standard output. */
const textOf = (call: Command, result: unknown): string => {
  if (call.json) return JSON.stringify(result, null, 2)
  if (call.command === 'keys.list') return keyTable(result as OperatorKey[])
  if (call.command === 'keys.revoke') return (result as { revoked: string[] }).revoked.map((id) => `revoked ${id}`).join('\n')
  const key = result as OperatorKey & { key: string }
  console.error(`${key.id} for ${key.user_id}: ${key.scopes.join(', ')}. The key is shown only once:`)
  return key.key
}

const runCommand = ({ command, input }: Command, config: Config, log: Logger) =>
  runOnDatabase(config, log, {
    name: command,
    input,
    run: (database) => createKeyCommands({ database, clock: systemClock, log })(command, input),
    onNewDatabase: command === 'keys.create' ? (dataDir) => console.error(`Created a new database in ${dataDir}.`) : undefined,
  })

const main = async (): Promise<number> => {
  const call = readKeysCall(process.argv.slice(2))
  if ('help' in call) {
    console.log(help)
    return exitCodes.ok
  }
  if ('issue' in call) {
    console.error(`${call.issue}. Run \`pnpm keys --help\` for help.`)
    return exitCodes.misused
  }
  const { config } = readConfig(process.env)
  const log = createLog({ level: 'warn', destination: pino.destination({ fd: standardError, sync: true }) })
  // Checked before a database is opened or created.
  const issue = validateKeyCommand(call.command, call.input)
  const answer = issue === undefined ? await runCommand(call, config, log) : { error: issue }
  if ('error' in answer) {
    console.error(answer.error)
    return exitCodes.failed
  }
  console.log(textOf(call, answer.result))
  return exitCodes.ok
}

runMain(main)
