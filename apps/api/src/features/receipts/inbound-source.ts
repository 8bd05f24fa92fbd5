import { timingSafeEqual } from 'node:crypto'
import type { Credential } from '@flowpost/delivery'
import type { Queryable } from '../../database/database.ts'
import { misconfigured } from '../../shared/api-error.ts'
import type { Clock } from '../../shared/clock.ts'
import { DecryptionError, type Encryption } from '../../shared/encryption.ts'
import type { ReceiptDelivery } from '../delivery/receipts/record-receipt.ts'
import { findInbound, hashInboundToken, type InboundIntegration } from '../integrations/inbound-address.ts'
import { decryptSecrets } from '../integrations/integration-secrets.ts'

/** The credential to which an inbound address belongs. Delivery reports are posted to that address. */
export interface InboundSource {
  readonly id: string
  /** Whether the credential belongs to the deployment instead of a project. */
  readonly isDeployment: boolean
  /**
   * Returns whether a delivery may have been sent with this credential. Compares the provider. For a project's credential,
   * also compares the user and the project.
   */
  hasSent(delivery: ReceiptDelivery): boolean
  /** Decrypts the secrets and returns the credential. @throws ApiError `unavailable`. */
  open(): Credential
}

/** The dependencies of {@link findInboundSource}. */
export interface InboundSourceDeps {
  readonly database: Queryable
  readonly clock: Clock
  readonly encryption: Encryption
  /** The deployment's credentials, keyed by `source_type`. */
  readonly deployment: ReadonlyMap<string, Credential>
  /**
   * `FLOWPOST_INBOUND_TOKEN`: the token in the addresses that receive delivery reports for the deployment's credentials.
   * `undefined` if it is not set.
   */
  readonly deploymentToken: string | undefined
}

const decrypt = (encryption: Encryption, integration: InboundIntegration): Credential => {
  try {
    return { settings: integration.settings, secrets: decryptSecrets(encryption, integration) }
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error
    throw misconfigured('The secrets of the integration cannot be decrypted.', { cause: error })
  }
}

/** Finds the credential to which an inbound address belongs. */
export const findInboundSource = async (
  { database, clock, encryption, deployment, deploymentToken }: InboundSourceDeps,
  sourceType: string,
  token: string,
): Promise<InboundSource | undefined> => {
  const hash = hashInboundToken(token)
  if (!hash) return undefined
  const deploymentHash = deploymentToken === undefined ? undefined : hashInboundToken(deploymentToken)
  const credential = deployment.get(sourceType)
  if (credential && deploymentHash && timingSafeEqual(hash, deploymentHash))
    return {
      id: `deployment:${sourceType}`,
      isDeployment: true,
      hasSent: (delivery) => delivery.source_type === sourceType,
      open: () => credential,
    }
  const integration = await findInbound(database, clock, sourceType, hash)
  return (
    integration && {
      id: `integration:${integration.id}`,
      isDeployment: false,
      hasSent: ({ source_type, user_id, project_id }) =>
        source_type === sourceType && user_id === integration.user_id && project_id === integration.project_id,
      open: () => decrypt(encryption, integration),
    }
  )
}
