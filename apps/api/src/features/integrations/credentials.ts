import { type Credential, DeliveryError } from '@flowpost/delivery'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { instant, type Queryable, timestamp } from '../../database/database.ts'
import { type Encryption, SecretUnreadableError } from '../../shared/encryption.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import { createIntegrationReader, type SendingIntegration } from './integration-reader.ts'
import { openSecrets } from './sealed-secrets.ts'

/** Whose message is to be sent, and through what. */
export interface CredentialQuery {
  readonly userId: string
  readonly projectId: Uuid
  readonly sourceType: string
  /** Whether the deployment's may not stand in for the project's own. Default: it may. */
  readonly ownOnly?: boolean
}

/** What a message is sent with. */
export interface FoundCredential {
  /** Names the credential, in its present state, without telling it: what pace and outages are counted under. */
  readonly id: string
  /** What the credential says openly. */
  readonly settings: unknown
  /**
   * The credential with its secrets.
   * @throws DeliveryError `secret_unreadable`, to be retried: a key that is missing is the operator's to
   *   bring back, and no message is to be lost for it while there is time.
   */
  open(): Credential
}

/** Finds what a message is sent with. */
export interface Credentials {
  /**
   * The credential for a project's messages through a provider: the project's own, else the deployment's
   * where the user may share it; `undefined` when there is none. Read anew each time, so that every process
   * sends with what was set last, and with nothing that was deleted.
   * @param on Where to read: within a transaction that transaction, because the embedded database has no other connection.
   */
  find(on: Queryable, query: CredentialQuery): Promise<FoundCredential | undefined>
}

const unreadable = (): DeliveryError =>
  new DeliveryError({
    kind: 'credential',
    code: 'secret_unreadable',
    detail: 'The secrets of the integration cannot be opened with the keys that this deployment has. Set them anew, or tell its operator.',
    retryable: true,
  })

/** The credentials of projects, and those of the deployment's environment for the users who may share them. */
export const createCredentials = (deps: {
  encryption: Encryption
  log: Logger
  deployment: ReadonlyMap<string, Credential>
  sharedWith: Config['sharedCredentials']
}): Credentials => {
  const { encryption, log, deployment, sharedWith } = deps
  const mayShare = (userId: string) => sharedWith === 'all' || (sharedWith !== 'none' && sharedWith.includes(userId))
  const read = createIntegrationReader()
  const reported = new Set<string>()

  const open = (id: string, row: SendingIntegration): Credential => {
    try {
      return { settings: row.settings, secrets: openSecrets(encryption, row) }
    } catch (error) {
      if (!(error instanceof SecretUnreadableError)) throw error
      // Once for each state of each integration: every message that waits for it would repeat it.
      if (!reported.has(id)) {
        const { reason, keyId } = error
        const project = toId('project', row.project_id)
        log.error({ project, source_type: row.source_type, reason, key_id: keyId }, 'The secrets of an integration cannot be opened.')
      }
      reported.add(id)
      throw unreadable()
    }
  }

  return {
    find: async (on, { userId, projectId, sourceType, ownOnly = false }) => {
      const row = await read(on, projectId, sourceType)
      if (row) {
        const id = `integration:${row.id}:${instant(timestamp(row.updated_at)).getTime()}`
        return { id, settings: row.settings, open: () => open(id, row) }
      }
      const credential = mayShare(userId) && !ownOnly ? deployment.get(sourceType) : undefined
      return credential && { id: `deployment:${sourceType}`, settings: credential.settings, open: () => credential }
    },
  }
}
