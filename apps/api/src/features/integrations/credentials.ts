import { type Credential, DeliveryError, parseSmtpUrl } from '@flowpost/delivery'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { instant, type Queryable, timestamp } from '../../database/database.ts'
import { DecryptionError, type Encryption } from '../../shared/encryption.ts'
import { toId, type Uuid } from '../../shared/ids.ts'
import { createIntegrationReader, type SendingIntegration } from './integration.queries.ts'
import { decryptSecrets } from './integration-secrets.ts'

/** The project and the provider for which to find a credential. */
export interface CredentialQuery {
  readonly userId: string
  readonly projectId: Uuid
  readonly sourceType: string
  /**
   * Whether to find only the project's own credential, never the deployment's.
   * @default false
   */
  readonly ownOnly?: boolean
}

/** A credential whose secrets are not decrypted yet. */
export interface FoundCredential {
  /**
   * Identifies the credential. The id of a project's own credential changes with every change to the credential. The keys
   * of rate limits and circuit breakers contain this id. It is not secret.
   */
  readonly id: string
  /** The credential's settings, which are not secret. */
  readonly settings: unknown
  /**
   * Returns the credential with its secrets. Decrypts the secrets only once, so all messages of a batch share one object with
   * the secrets. The provider client caches a redactor for this object.
   * @throws DeliveryError `secret_unreadable`. The error is retryable, because the operator can restore a missing key.
   */
  open(): Credential
}

/** Finds the credentials that are used to send messages. */
export interface Credentials {
  /**
   * Finds a project's credential for a provider. If the project has none, finds the deployment's credential, provided
   * that it is shared with the user. Nothing is cached, so changing or deleting a credential takes effect immediately
   * in every process.
   * @param on where the query runs: in the caller's transaction or, if there is none, directly in the database. If
   * the caller has an open transaction, the query must run there. The embedded database has only one connection, so a query
   * outside the transaction would wait for the transaction to end, and the transaction would wait for the query.
   * @returns `undefined` when there is no credential.
   */
  find(on: Queryable, query: CredentialQuery): Promise<FoundCredential | undefined>
}

const secretUnreadable = (): DeliveryError =>
  new DeliveryError({
    kind: 'credential',
    code: 'secret_unreadable',
    detail: 'No key of this deployment can decrypt the secrets of the integration. Set the secrets again, or contact the operator.',
    retryable: true,
  })

/**
 * Creates a {@link Credentials} that finds the projects' own credentials. It also finds the deployment's credentials
 * for users with whom they are shared.
 */
export const createCredentials = (deps: {
  encryption: Encryption
  log: Logger
  deployment: ReadonlyMap<string, Credential>
  sharedWith: Config['sharedCredentials']
}): Credentials => {
  const { encryption, log, deployment, sharedWith } = deps
  const mayShare = (userId: string) => sharedWith === 'all' || (sharedWith !== 'none' && sharedWith.includes(userId))
  const readIntegration = createIntegrationReader()
  const reportedIds = new Set<string>()

  const open = (id: string, row: SendingIntegration): Credential => {
    try {
      return { settings: row.settings, secrets: decryptSecrets(encryption, row) }
    } catch (error) {
      if (!(error instanceof DecryptionError)) throw error
      // Log the error once for each version of the integration, not for every message that needs its secrets.
      if (!reportedIds.has(id)) {
        const { reason, keyId } = error
        const project = toId('project', row.project_id)
        log.error({ project, source_type: row.source_type, reason, key_id: keyId }, 'The secrets of an integration cannot be decrypted.')
      }
      reportedIds.add(id)
      throw secretUnreadable()
    }
  }

  return {
    find: async (on, { userId, projectId, sourceType, ownOnly = false }) => {
      const row = await readIntegration(on, projectId, sourceType)
      if (row) {
        const id = `integration:${row.id}:${instant(timestamp(row.updated_at)).getTime()}`
        let credential: Credential | undefined
        const openOnce = () => {
          credential ??= open(id, row)
          return credential
        }
        return { id, settings: row.settings, open: openOnce }
      }
      const credential = mayShare(userId) && !ownOnly ? deployment.get(sourceType) : undefined
      return credential && { id: `deployment:${sourceType}`, settings: credential.settings, open: () => credential }
    },
  }
}

/**
 * Returns a {@link Credentials} for one batch of deliveries. It reads each credential once. Credential changes take
 * effect in the next batch, moments later.
 */
export const oncePerBatch = (credentials: Credentials): Credentials => {
  const lookups = new Map<string, Promise<FoundCredential | undefined>>()
  return {
    find: (on, query) => {
      const key = JSON.stringify([query.userId, query.projectId, query.sourceType, query.ownOnly === true])
      const lookup = lookups.get(key) ?? credentials.find(on, query)
      lookups.set(key, lookup)
      return lookup
    },
  }
}

/**
 * Reads the deployment's credentials from the configuration. Returns them keyed by `source_type`.
 */
export const readDeploymentCredentials = (config: Config): ReadonlyMap<string, Credential> => {
  const credentials = new Map<string, Credential>()
  if (config.smtpUrl !== undefined && config.emailFrom !== undefined)
    credentials.set('smtp', parseSmtpUrl(config.smtpUrl, config.emailFrom, config.bounceAddress))
  if (config.mailgun && config.emailFrom !== undefined) {
    const { apiKey, domain, region, webhookSigningKey } = config.mailgun
    const secrets = { api_key: apiKey, webhook_signing_key: webhookSigningKey }
    credentials.set('mailgun', { settings: { domain, region, from: config.emailFrom }, secrets, trusted: true })
  }
  if (config.slackToken !== undefined) credentials.set('slack', { settings: {}, secrets: { token: config.slackToken }, trusted: true })
  return credentials
}
