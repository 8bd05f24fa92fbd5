import type { Logger } from 'pino'
import type { RunCommand } from '../../database/control-socket.ts'
import type { Queryable } from '../../database/database.ts'
import type { Encryption } from '../../shared/encryption.ts'
import { rotateRecipientKey } from '../../shared/recipient-key.ts'
import { type EndpointRotation, rotateSecrets } from './rotate-secrets.ts'

const parseKeyId = (input: unknown): string | undefined => {
  const key = typeof input === 'object' && input !== null && 'key' in input ? input.key : undefined
  return typeof key === 'string' ? key : undefined
}

const summarize = (report: EndpointRotation): string =>
  `${report.rotated} rotated, ${report.current} current, ${report.conflicts} conflicts, ${report.unreadable} unreadable`

/**
 * Creates the function that runs the operator's command `secrets.rotate`. The command's optional argument `key` is the
 * id of the key that the operator expects the server to encrypt with. If the server encrypts with a different key, it
 * rejects the command.
 */
export const createSecretCommands = (deps: {
  database: Queryable
  encryption: Encryption
  log: Logger
  /** Re-encrypts the signing secrets of event endpoints with the primary key. */
  rotateEndpointSecrets: (database: Queryable, encryption: Encryption) => Promise<EndpointRotation>
}): RunCommand => {
  const { database, encryption, log, rotateEndpointSecrets } = deps
  return async (command, input) => {
    if (command !== 'secrets.rotate')
      return { error: `The server does not know the command ${command}. Use the same Flowpost version as the server.` }
    const requestedKeyId = parseKeyId(input)
    const { primaryKeyId } = encryption
    if (primaryKeyId === undefined) return { error: 'There is no encryption key: set FLOWPOST_ENCRYPTION_KEY.' }
    if (requestedKeyId !== undefined && requestedKeyId !== primaryKeyId)
      return {
        error: `The server encrypts with the key ${primaryKeyId}, not with ${requestedKeyId}. Restart the server with ${requestedKeyId} as its first key, or run the command with the FLOWPOST_ENCRYPTION_KEY of the server.`,
      }
    try {
      const report = {
        ...(await rotateSecrets({ database, encryption })),
        event_endpoints: await rotateEndpointSecrets(database, encryption),
        recipient_key: await rotateRecipientKey({ database, encryption, log }),
      }
      log.info(
        { key: report.key },
        `Secrets rotated. Integrations: ${summarize(report)}. Event endpoints: ${summarize(report.event_endpoints)}. Recipient digest key: ${report.recipient_key}.`,
      )
      return { result: report }
    } catch (error) {
      log.error({ err: error, command }, 'Operator command failed.')
      return { error: 'The command failed. See the server log.' }
    }
  }
}
