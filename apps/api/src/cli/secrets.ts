import { pino } from 'pino'
import { ConfigError, readConfig } from '../config/config.ts'
import { isDatabaseUnavailable } from '../database/failures.ts'
import { DataFolderInUseError } from '../database/lock.ts'
import { DatabaseStartupError } from '../database/startup.ts'
import type { RotationReport } from '../features/integrations/rotate-secrets.ts'
import { createSecretCommands } from '../features/integrations/secret-commands.ts'
import { createLog } from '../log.ts'
import { createEncryption } from '../shared/encryption.ts'
import { EncryptionKeyFileError, loadEncryptionKeys } from '../shared/encryption-key-file.ts'
import { runOnDatabase } from './run-on-database.ts'

const failed = 1
const misused = 2
const standardError = 2
const command = 'secrets.rotate'

const help = `Encrypts the stored secrets of all integrations with another key, while servers run.

  pnpm secrets rotate [--json]

The first key of FLOWPOST_ENCRYPTION_KEY encrypts, all of them decrypt. To change the key without downtime:

  1. Add the new key at the end, on every server:       old:...,new:...
  2. Put it first, on every server:                     new:...,old:...
  3. Run this command with the same value. It reports how many integrations it encrypted again.
  4. When it reports no conflicts and nothing unreadable, remove the old key.

The embedded database has its keys in encryption.key in FLOWPOST_DATA_DIR, one per line. If a server uses that
database, the server runs the command.`

const plural = (count: number): string => (count === 1 ? '1 integration' : `${count} integrations`)

const describe = (report: RotationReport): string => {
  const lines = [`${plural(report.rotated)} encrypted again with the key ${report.key}; ${plural(report.current)} already used it.`]
  if (report.conflicts > 0) lines.push(`${plural(report.conflicts)} changed during the rotation. Run the command again.`)
  if (report.unreadable > 0) {
    lines.push(`${plural(report.unreadable)} cannot be decrypted with the given keys and did not change:`)
    for (const { project, source_type, key } of report.unreadable_integrations)
      lines.push(`  ${project} ${source_type} ${key === null ? 'is damaged' : `needs the key ${key}`}`)
  }
  return lines.join('\n')
}

const expectedMessage = (error: unknown): string | undefined => {
  if (error instanceof ConfigError || error instanceof DataFolderInUseError || error instanceof EncryptionKeyFileError) return error.message
  if (error instanceof DatabaseStartupError) return error.message
  if (isDatabaseUnavailable(error)) return 'The database of DATABASE_URL cannot be reached.'
  return undefined
}

const main = async (args: readonly string[]): Promise<number> => {
  const words = args.filter((arg) => arg !== '--json')
  if (words.includes('--help') || words.includes('-h') || words[0] === 'help') {
    console.log(help)
    return 0
  }
  if (words[0] !== 'rotate' || words.length > 1) {
    console.error('The only command is rotate. See `pnpm secrets --help`.')
    return misused
  }
  const { config } = readConfig(process.env)
  const log = createLog({ level: 'warn', destination: pino.destination({ fd: standardError, sync: true }) })
  // A running server must have this key as its primary key.
  const [first] = config.encryptionKeys
  const input = first ? { key: first.id } : {}
  const response = await runOnDatabase(config, log, {
    name: command,
    input,
    run: async (database) =>
      createSecretCommands({ database, encryption: createEncryption(await loadEncryptionKeys(config, log)), log })(command, input),
  })
  if ('error' in response) {
    console.error(response.error)
    return failed
  }
  const report = response.result as RotationReport
  console.log(args.includes('--json') ? JSON.stringify(report, null, 2) : describe(report))
  return report.conflicts + report.unreadable > 0 ? failed : 0
}

// The exit code is set rather than forced, because a forced exit would truncate output to a pipe.
main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    const message = expectedMessage(error)
    if (message === undefined) throw error
    console.error(message)
    process.exitCode = failed
  },
)
