import type { Logger } from 'pino'
import type { RunCommand } from '../../database/control-socket.ts'
import type { Queryable } from '../../database/database.ts'
import type { Encryption } from '../../shared/encryption.ts'
import { type RotationReport, rotateSecrets } from './rotate-secrets.ts'

const keyWanted = (input: unknown): string | undefined => {
  const key = typeof input === 'object' && input !== null && 'key' in input ? input.key : undefined
  return typeof key === 'string' ? key : undefined
}

const reportOf = (report: RotationReport): string =>
  `${report.resealed} sealed anew, ${report.current} current, ${report.overtaken} overtaken, ${report.unreadable} unreadable`

/**
 * What an operator can do with secrets, as a command that comes from the command line: `secrets.rotate`, with the id
 * of the key that everything is to be sealed under, so that a server that has not got it yet does not seal under another one.
 */
export const createSecretCommands = (deps: { database: Queryable; encryption: Encryption; log: Logger }): RunCommand => {
  const { database, encryption, log } = deps
  return async (command, input) => {
    if (command !== 'secrets.rotate') return { error: `The server does not know the command ${command}: it may be of another version.` }
    const wanted = keyWanted(input)
    const { sealingKeyId } = encryption
    if (sealingKeyId === undefined) return { error: 'There is no key to seal with: set FLOWPOST_ENCRYPTION_KEY.' }
    if (wanted !== undefined && wanted !== sealingKeyId)
      return {
        error: `The server seals with the key ${sealingKeyId}, not with ${wanted}. Restart it with ${wanted} first in FLOWPOST_ENCRYPTION_KEY.`,
      }
    try {
      const report = await rotateSecrets({ database, encryption })
      log.info({ key: report.key }, `The operator has rotated secrets: ${reportOf(report)}.`)
      return { result: report }
    } catch (error) {
      log.error({ err: error, command }, 'A command of the operator failed.')
      return { error: 'The command failed; the log says why.' }
    }
  }
}
