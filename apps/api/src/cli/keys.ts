import { type Logger, pino } from 'pino'
import { type Config, ConfigError, readConfig } from '../config/config.ts'
import { isDatabaseUnavailable } from '../database/failures.ts'
import { DataFolderInUseError } from '../database/lock.ts'
import { DatabaseStartupError } from '../database/startup.ts'
import { createKeyCommands, type OperatorKey, validateKeyCommand } from '../features/api-keys/key-commands.ts'
import { createLog } from '../log.ts'
import { systemClock } from '../shared/clock.ts'
import { help, type KeysCall, readKeysCall } from './keys-arguments.ts'
import { keyTable } from './keys-output.ts'
import { runOnDatabase } from './run-on-database.ts'

const failed = 1
const misused = 2
const standardError = 2

type Command = Extract<KeysCall, { command: string }>

/** What goes to standard output. */
const textOf = (call: Command, result: unknown): string => {
  if (call.json) return JSON.stringify(result, null, 2)
  if (call.command === 'keys.list') return keyTable(result as OperatorKey[])
  if (call.command === 'keys.revoke') return (result as { revoked: string[] }).revoked.map((id) => `revoked ${id}`).join('\n')
  const key = result as OperatorKey & { key: string }
  console.error(`${key.id} for ${key.user_id}: ${key.scopes.join(', ')}. The key is shown this once:`)
  return key.key
}

const plainWords = (error: unknown): string | undefined => {
  if (error instanceof ConfigError || error instanceof DataFolderInUseError) return error.message
  if (error instanceof DatabaseStartupError) return error.message
  if (isDatabaseUnavailable(error)) return 'The database of DATABASE_URL cannot be reached.'
  return undefined
}

const carryOut = ({ command, input }: Command, config: Config, log: Logger) =>
  runOnDatabase(config, log, {
    name: command,
    input,
    run: (database) => createKeyCommands({ database, clock: systemClock, log })(command, input),
    onNewDatabase:
      command === 'keys.create' ? (dataDir) => console.error(`There was no database in ${dataDir}; it has been made.`) : undefined,
  })

const main = async (): Promise<number> => {
  const call = readKeysCall(process.argv.slice(2))
  if ('help' in call) {
    console.log(help)
    return 0
  }
  if ('fault' in call) {
    console.error(`${call.fault}. \`pnpm keys --help\` tells more.`)
    return misused
  }
  const { config } = readConfig(process.env)
  const log = createLog({ level: 'warn', destination: pino.destination({ fd: standardError, sync: true }) })
  // Before anything is opened, or made.
  const fault = validateKeyCommand(call.command, call.input)
  const answer = fault === undefined ? await carryOut(call, config, log) : { error: fault }
  if ('error' in answer) {
    console.error(answer.error)
    return failed
  }
  console.log(textOf(call, answer.result))
  return 0
}

// The exit code is set rather than forced, so that what was printed into a pipe arrives whole.
main().then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    const message = plainWords(error)
    if (message === undefined) throw error
    console.error(message)
    process.exitCode = failed
  },
)
