import { resolve } from 'node:path'
import { readConfig } from '../config/config.ts'
import { rotateEndpointSecrets } from '../features/events/rotate-endpoint-secrets.ts'
import type { RotationReport } from '../features/integrations/rotate-secrets.ts'
import { createSecretCommands } from '../features/integrations/secret-commands.ts'
import { createEncryption } from '../shared/encryption.ts'
import { loadEncryptionKeys, readFirstKeyId } from '../shared/encryption-key-file.ts'
import { operatorCommand } from '../shared/operator-command.ts'
import { type CommandLine, createCommandLog, exitCodes } from './command-line.ts'
import { runOnDatabase } from './run-on-database.ts'

const command = 'secrets.rotate'

const help = `Re-encrypts the stored secrets of all integrations and event endpoints, and the recipient digest key, with a new
key. Servers can continue to run.

  ${operatorCommand('secrets')} rotate [--json]

Secrets are encrypted with the first key in FLOWPOST_ENCRYPTION_KEY, and can be decrypted with any key in it.
To change the key without downtime:

  1. Add the new key at the end, on every server:       old:...,new:...
  2. Move the new key to the front, on every server:    new:...,old:...
  3. Run this command with the servers' FLOWPOST_ENCRYPTION_KEY. It reports what it has re-encrypted.
  4. When it reports no conflicts and nothing unreadable, remove the old key.

Without FLOWPOST_ENCRYPTION_KEY, the embedded database stores its keys in encryption.key in FLOWPOST_DATA_DIR, one per
line. Restart the server after each change of the keys. If a server is using that database, the server runs the command.`

const plural = (count: number): string => (count === 1 ? '1 integration' : `${count} integrations`)

const recipientKeyTexts = {
  rotated: 're-encrypted',
  current: 'encrypted with the same key',
  unreadable: 'cannot be decrypted with the given keys and did not change. The log has the reason',
}

const describe = (report: RotationReport): string => {
  const lines = [`${plural(report.rotated)} re-encrypted with the key ${report.key}; ${plural(report.current)} already used it.`]
  if (report.conflicts > 0) lines.push(`${plural(report.conflicts)} changed during the rotation. Run the command again.`)
  if (report.unreadable > 0) {
    lines.push(`${plural(report.unreadable)} cannot be decrypted with the given keys and did not change:`)
    for (const { project, source_type, key } of report.unreadable_integrations)
      lines.push(
        `  ${project} ${source_type} ${key === null ? 'is damaged' : `needs the key "${key}"`}${key === report.key ? ' with its earlier value, or is damaged' : ''}`,
      )
  }
  const endpoints = report.event_endpoints
  if (endpoints && endpoints.rotated + endpoints.current + endpoints.unreadable + endpoints.conflicts > 0) {
    lines.push(`Event endpoints: ${endpoints.rotated} re-encrypted; ${endpoints.current} already used the key.`)
    if (endpoints.conflicts > 0) lines.push(`Event endpoints changed during the rotation: ${endpoints.conflicts}. Run the command again.`)
    if (endpoints.unreadable > 0) lines.push(`Event endpoints left unchanged because they cannot be decrypted: ${endpoints.unreadable}.`)
  }
  if (report.recipient_key) lines.push(`Recipient digest key: ${recipientKeyTexts[report.recipient_key]}.`)
  return lines.join('\n')
}

/** Re-encrypts the stored secrets: `pnpm secrets`. */
export const secretsProgram = async (line: CommandLine): Promise<number> => {
  const { args } = line
  const words = args.filter((arg) => arg !== '--json')
  if (words.includes('--help') || words.includes('-h') || words[0] === 'help') {
    line.print(help)
    return exitCodes.ok
  }
  if (words[0] !== 'rotate' || words.length > 1) {
    line.printError(`The only command is rotate. Run \`${operatorCommand('secrets')} --help\` for help.`)
    return exitCodes.misused
  }
  const { config } = readConfig(line.env)
  const log = createCommandLog(line)
  // A running server that encrypts with a different key rejects the command, for example because it was not restarted.
  const key = config.encryptionKeys[0]?.id ?? (config.databaseUrl === undefined ? await readFirstKeyId(resolve(config.dataDir)) : undefined)
  const input = key === undefined ? {} : { key }
  const answer = await runOnDatabase(config, log, {
    name: command,
    input,
    run: async (database) => {
      const encryption = createEncryption(await loadEncryptionKeys(config, log))
      return createSecretCommands({ database, encryption, log, rotateEndpointSecrets })(command, input)
    },
  })
  if ('error' in answer) {
    line.printError(answer.error)
    return exitCodes.failed
  }
  const report = answer.result as RotationReport
  line.print(args.includes('--json') ? JSON.stringify(report, null, 2) : describe(report))
  const { conflicts = 0, unreadable = 0 } = report.event_endpoints ?? {}
  const isComplete = report.conflicts + report.unreadable + conflicts + unreadable === 0 && report.recipient_key !== 'unreadable'
  return isComplete ? exitCodes.ok : exitCodes.failed
}
