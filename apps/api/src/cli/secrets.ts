import { pino } from 'pino'
import { ConfigError, readConfig } from '../config/config.ts'
import { isDatabaseUnavailable } from '../database/failures.ts'
import { DataFolderInUseError } from '../database/lock.ts'
import { DatabaseStartupError } from '../database/startup.ts'
import { loadEncryptionKeys } from '../features/integrations/load-encryption-keys.ts'
import type { RotationReport } from '../features/integrations/rotate-secrets.ts'
import { createSecretCommands } from '../features/integrations/secret-commands.ts'
import { createLog } from '../log.ts'
import { createEncryption } from '../shared/encryption.ts'
import { EncryptionKeyFileError } from '../shared/encryption-key-file.ts'
import { runOnDatabase } from './run-on-database.ts'

const failed = 1
const misused = 2
const standardError = 2
const command = 'secrets.rotate'

const help = `Seals the stored secrets of all integrations under another key, while servers run.

  pnpm secrets rotate [--json]

The first key of FLOWPOST_ENCRYPTION_KEY seals, all of them open. To change the key without downtime:

  1. Add the new key at the end, on every server:       old:...,new:...
  2. Put it first, on every server:                     new:...,old:...
  3. Run this command with the same value. It reports how many integrations it has sealed anew.
  4. When it reports none that are overtaken or unreadable, take the old key away.

The embedded database has its key in encryption.key in FLOWPOST_DATA_DIR, a line for each key. A server that
runs on it carries out the command.`

const plural = (count: number): string => (count === 1 ? '1 integration' : `${count} integrations`)

const describe = (report: RotationReport): string => {
  const lines = [
    `${plural(report.resealed)} sealed anew under the key ${report.key}; ${plural(report.current)} had been sealed under it before.`,
  ]
  if (report.overtaken > 0) lines.push(`${plural(report.overtaken)} changed meanwhile. Run the command again.`)
  if (report.unreadable > 0) {
    lines.push(`${plural(report.unreadable)} cannot be opened with the keys that are given, and were left as they are:`)
    for (const { project, source_type, key } of report.unreadable_integrations)
      lines.push(`  ${project} ${source_type} ${key === null ? 'is damaged' : `names the key ${key}`}`)
  }
  return lines.join('\n')
}

const plainWords = (error: unknown): string | undefined => {
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
    console.error('There is one command: rotate. `pnpm secrets --help` tells more.')
    return misused
  }
  const { config } = readConfig(process.env)
  const log = createLog({ level: 'warn', destination: pino.destination({ fd: standardError, sync: true }) })
  // A server that runs has to have the key.
  const [first] = config.encryptionKeys
  const input = first ? { key: first.id } : {}
  const answer = await runOnDatabase(config, log, {
    name: command,
    input,
    run: async (database) =>
      createSecretCommands({ database, encryption: createEncryption(await loadEncryptionKeys(config, log)), log })(command, input),
  })
  if ('error' in answer) {
    console.error(answer.error)
    return failed
  }
  const report = answer.result as RotationReport
  console.log(args.includes('--json') ? JSON.stringify(report, null, 2) : describe(report))
  return report.overtaken + report.unreadable > 0 ? failed : 0
}

// The exit code is set rather than forced, so that what was printed into a pipe arrives whole.
main(process.argv.slice(2)).then(
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
